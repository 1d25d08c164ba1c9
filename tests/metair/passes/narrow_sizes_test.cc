// SPDX-License-Identifier: Apache-2.0
// Sizes are given only for axes that change.
#include <gtest/gtest.h>

#include "metair/ir/text.h"
#include "metair/passes/passes.h"

namespace metadist {
namespace {

// The only node of the graph after the pass.
std::string After(const std::string& body) {
  const auto graph = ParseGraph("graph g opset 26 {\n" + body + "}\n");
  if (!graph.ok()) {
    ADD_FAILURE() << graph.error().text();
    return "";
  }
  PassOptions options = OnlyPasses({"narrow_sizes"});
  options.verify = true;
  const auto done = RunPasses(graph.value(), options, OpTable::BuiltIn());
  if (!done.ok()) {
    ADD_FAILURE() << done.error().text();
    return "";
  }
  const Graph& out = done.value().graph;
  return NodeText(out, out.nodes[0]);
}

TEST(NarrowSizes, OfAxesThatChange) {
  EXPECT_EQ(After("  input %x: f32[2,3,4,5]\n"
                  "  constant %s: i64[4] = [2, 3, 8, 10]\n"
                  "  %y: f32[2,3,8,10] = Resize(%x, _, _, %s) {mode = \"linear\"} @r\n"
                  "  output %y\n"),
            "%y: f32[2,3,8,10] = Resize(%x, _, _, %r/sizes) {axes = [2, 3], mode = \"linear\"} @r");
}

TEST(NarrowSizes, NotWhereTheRatioIsKept) {
  EXPECT_EQ(After("  input %x: f32[2,3,4,5]\n"
                  "  constant %s: i64[4] = [2, 3, 8, 10]\n"
                  "  %y: f32[2,3,4,5] = Resize(%x, _, _, %s) "
                  "{keep_aspect_ratio_policy = \"not_larger\"} @r\n"
                  "  output %y\n"),
            "%y: f32[2,3,4,5] = Resize(%x, _, _, %s) "
            "{keep_aspect_ratio_policy = \"not_larger\"} @r");
}

TEST(NarrowSizes, AmongTheAxesNamed) {
  EXPECT_EQ(After("  input %x: f32[2,3,4]\n"
                  "  constant %s: i64[2] = [4, 7]\n"
                  "  %y: f32[2,7,4] = CenterCropPad(%x, %s) {axes = [-1, 1]} @c\n"
                  "  output %y\n"),
            "%y: f32[2,7,4] = CenterCropPad(%x, %c/sizes) {axes = [1]} @c");
}

}  // namespace
}  // namespace metadist
