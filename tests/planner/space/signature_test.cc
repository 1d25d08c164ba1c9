// SPDX-License-Identifier: Apache-2.0
#include "planner/space/signature.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "metair/ir/text.h"
#include "metair/ops/op_table.h"

namespace metadist {
namespace {

// Signatures of the two nodes of a graph of these lines.
std::pair<std::string, std::string> SignaturesOf(const std::string& lines) {
  const Graph graph = ParseGraph("graph g opset 26 {\n" + lines + "}\n").value();
  const auto signature = [&](const Node& node) {
    return SignatureOf(graph, node, OpTable::BuiltIn().Find(node));
  };
  return {signature(graph.node(0)), signature(graph.node(1))};
}

// The numbers 0 to 83, each times `times`, modulo 84.
std::string Numbers(int times) {
  std::string text;
  for (int i = 0; i < 84; ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", i * times % 84);
  return text;
}

TEST(Signature, HasNoKeysOfRandomNumbers) {
  const auto [a, b] = SignaturesOf(R"(  input %x: f32[4,6]
  constant %r: f32[] = [0.5]
  constant %t: bool[] = [true]
  constant %one: i64[2] = [1, 2]
  constant %two: i64[2] = [3, 4]
  %a: f32[4,6] = Dropout(%x, %r, %t, %one) {start = [0, 0]} @a
  %b: f32[4,6] = Dropout(%a, %r, %t, %two) {start = [0, 0]} @b
  output %b
)");
  EXPECT_EQ(a, b);
}

TEST(Signature, HasSmallConstants) {
  const auto [a, b] = SignaturesOf(R"(  input %x: f32[4,6]
  constant %s: i64[1] = [0]
  constant %t: i64[1] = [1]
  constant %e: i64[1] = [3]
  %y: f32[3,6] = Slice(%x, %s, %e, %s) @n
  %z: f32[4,2] = Slice(%x, %t, %e, %t) @m
  output %y
  output %z
)");
  EXPECT_NE(a, b);
}

// 66 elements of padding: of 33 dims, the last gets one element in front, or one behind.
TEST(Signature, HasLargeConstantsThatInferenceNeeds) {
  std::string ones, zeros;
  for (int dim = 0; dim < 32; ++dim) {
    ones += "1,";
    zeros += "0, ";
  }
  const auto [a, b] = SignaturesOf(fmt::format(R"(  input %x: f32[{0}4]
  constant %p: i64[66] = [{1}1, {1}0]
  constant %q: i64[66] = [{1}0, {1}1]
  %y: f32[{0}5] = Pad(%x, %p) @n
  %z: f32[{0}5] = Pad(%x, %q) @m
  output %y
  output %z
)",
                                               ones,
                                               zeros));
  EXPECT_NE(a, b);
}

TEST(Signature, HasNoData) {
  const auto [a, b] = SignaturesOf(fmt::format(R"(  input %x: f32[84]
  constant %c: i64[84] = [{}]
  constant %d: i64[84] = [{}]
  %y: f32[84] = Gather(%x, %c) {{axis = 0}} @n
  %z: f32[84] = Gather(%x, %d) {{axis = 0}} @m
  output %y
  output %z
)",
                                               Numbers(5),
                                               Numbers(11)));
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace metadist
