// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "metair/ir/text.h"
#include "metair/passes/passes.h"

namespace metadist {
namespace {

TEST(SpellDefaults, DiagonalsAreWritten) {
  const auto graph = ParseGraph(
      "graph g opset 26 {\n"
      "  input %x: f32[4,6]\n"
      "  constant %one: i64[] = [1]\n"
      "  %a: f32[4,6] = Trilu(%x) {upper = 0} @a\n"
      "  %b: f32[4,6] = Trilu(%x, %one) @b\n"
      "  %c: f32[4,6] = EyeLike(%x) @c\n"
      "  %d: f32[4,6] = EyeLike(%x) {k = 2} @d\n"
      "  output %a\n"
      "  output %b\n"
      "  output %c\n"
      "  output %d\n"
      "}\n");
  ASSERT_TRUE(graph.ok()) << graph.error().text();
  PassOptions options = OnlyPasses({"spell_defaults"});
  options.verify = true;
  const auto done = RunPasses(graph.value(), options, OpTable::BuiltIn());
  ASSERT_TRUE(done.ok()) << done.error().text();
  const std::string text = GraphText(done.value().graph);
  for (const char* line : {"constant %a/1: i64[] = [0]",
                           "%a: f32[4,6] = Trilu(%x, %a/1) {upper = 0} @a",
                           "%b: f32[4,6] = Trilu(%x, %one) @b",
                           "%c: f32[4,6] = EyeLike(%x) {k = 0} @c",
                           "%d: f32[4,6] = EyeLike(%x) {k = 2} @d"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

}  // namespace
}  // namespace metadist
