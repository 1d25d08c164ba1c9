// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "metair/ir/text.h"
#include "metair/ops/interpret.h"
#include "metair/passes/passes.h"

namespace metadist {
namespace {

Graph After(const std::string& body) {
  auto graph = ParseGraph("graph g opset 26 {\n" + body + "}\n");
  EXPECT_TRUE(graph.ok()) << graph.error().text();
  PassOptions options;
  options.verify = true;
  auto done = RunPasses(graph.value(), options, OpTable::BuiltIn());
  EXPECT_TRUE(done.ok()) << done.error().text();
  return std::move(done.value().graph);
}

const char kTwo[] =
    "  input %x: f32[4,6]\n"
    "  constant %r: f32[] = [0.5]\n"
    "  constant %t: bool[] = [true]\n"
    "  %a: f32[4,6] = Dropout(%x, %r, %t) @a\n"
    "  %b: f32[4,6] = Dropout(%x, %r, %t) @b\n"
    "  output %a\n"
    "  output %b\n";

TEST(KeyRandom, EveryNodeHasItsOwnNumbers) {
  const Graph graph = After(kTwo);
  ASSERT_EQ(graph.nodes.size(), 2u);  // they are not merged
  for (const Node& node : graph.nodes) {
    ASSERT_EQ(node.inputs.size(), 4u);
    EXPECT_EQ(graph.value(node.inputs[3]).name, node.name + "/key");
    EXPECT_EQ(node.attributes.Ints("start"), (std::vector<int64_t>{0, 0}));
  }
  const Tensor x = Tensor::Of<float>({4, 6}, std::vector<float>(24, 1));
  const auto first = Interpret(graph, OpTable::BuiltIn(), std::vector{x}).value();
  EXPECT_FALSE(Identical(first[0], first[1]));
  const auto again = Interpret(After(kTwo), OpTable::BuiltIn(), std::vector{x}).value();
  EXPECT_TRUE(Identical(first[0], again[0]));
  EXPECT_TRUE(Identical(first[1], again[1]));
}

TEST(KeyRandom, ASeedDecidesWhateverTheName) {
  const auto drawn = [](const std::string& name, const std::string& seed) {
    const Graph graph = After("  %y: f32[4] = RandomNormal() {seed = " + seed + ", shape = [4]} @" +
                              name + "\n  output %y\n");
    EXPECT_FALSE(graph.nodes[0].attributes.has("seed"));
    return Interpret(graph, OpTable::BuiltIn(), {}).value()[0];
  };
  EXPECT_TRUE(Identical(drawn("a", "1.5"), drawn("b", "1.5")));
  EXPECT_FALSE(Identical(drawn("a", "1.5"), drawn("a", "2.5")));
}

TEST(KeyRandom, NothingIsFoldedNorKeyedTwice) {
  const std::string body = "  %y: f32[4] = RandomUniform() {shape = [4]} @n\n  output %y\n";
  const Graph once = After(body);
  ASSERT_EQ(once.nodes.size(), 1u);
  const auto twice = RunPasses(once, {}, OpTable::BuiltIn());
  ASSERT_TRUE(twice.ok());
  EXPECT_EQ(GraphText(once), GraphText(twice.value().graph));
}

// Equal names in two bodies are two nodes.
TEST(KeyRandom, BodiesDrawTheirOwnNumbers) {
  const Graph graph = After(
      "  input %c: bool[]\n"
      "  input %x: f32[4]\n"
      "  %y: f32[4] = If(%c) {} then_branch(%x) graph t opset 26 {\n"
      "    input %v: f32[4]\n"
      "    %r: f32[4] = RandomNormalLike(%v) @n\n"
      "    output %r\n"
      "  } else_branch(%x) graph e opset 26 {\n"
      "    input %w: f32[4]\n"
      "    %s: f32[4] = RandomNormalLike(%w) @n\n"
      "    output %s\n"
      "  } @choose\n"
      "  %z: f32[4] = RandomNormalLike(%x) @n\n"
      "  output %y\n"
      "  output %z\n");
  for (const Region& region : graph.nodes[0].regions)
    EXPECT_EQ(region.graph->nodes[0].inputs.size(), 4u);
  const Tensor x = Tensor::Of<float>({4}, {1, 2, 3, 4});
  std::vector<Tensor> drawn;
  for (const bool condition : {true, false}) {
    const std::vector<Tensor> inputs{Tensor::Scalar<bool>(condition), x};
    const std::vector<Tensor> made = Interpret(graph, OpTable::BuiltIn(), inputs).value();
    drawn.insert(drawn.end(), made.begin(), made.end());
  }
  EXPECT_FALSE(Identical(drawn[0], drawn[1]));
  EXPECT_FALSE(Identical(drawn[0], drawn[2]));
  EXPECT_FALSE(Identical(drawn[1], drawn[2]));
  EXPECT_TRUE(Identical(drawn[1], drawn[3]));
}

TEST(KeyRandom, WhatDoesNotTrainNeedsNoKey) {
  const Graph graph = After(
      "  input %x: f32[4]\n"
      "  constant %t: bool[] = [false]\n"
      "  %y: f32[4], %m: bool[4] = Dropout(%x, _, %t) @n\n"
      "  %z: f32[4], %k: bool[4] = Dropout(%x) @o\n"
      "  output %y\n"
      "  output %m\n"
      "  output %k\n");
  for (const Node& node : graph.nodes) EXPECT_LE(node.inputs.size(), 3u) << node.name;
}

}  // namespace
}  // namespace metadist
