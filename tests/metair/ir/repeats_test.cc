// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/repeats.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "metair/ops/graph_builder.h"

namespace metadist {
namespace {

// `layers` blocks of four nodes with a residual around each, between a head and a tail.
Graph Tower(int layers) {
  GraphBuilder b("tower");
  const TensorType type{ElementType::kF32, {8, 8}};
  ValueId x = b.Add("Neg", {b.Input("x", type)});
  for (int i = 0; i < layers; ++i) {
    const ValueId w = b.Parameter(fmt::format("w{}", i), Tensor::Absent(type));
    const ValueId y = b.Add("Tanh", {b.Add("Relu", {b.Add("MatMul", {x, w})})});
    x = b.Add("Add", {x, y});
  }
  b.Output(b.Add("Exp", {x}));
  return b.Done().value();
}

std::vector<int> Signatures(const Graph& graph) {
  std::map<std::string, int> ids;
  std::vector<int> out;
  for (const Node& node : graph.nodes) {
    std::string text = node.op;
    for (const ValueId id : node.inputs) text += TypeText(graph.value(id).type);
    out.push_back(ids.emplace(text, static_cast<int>(ids.size())).first->second);
  }
  return out;
}

TEST(Repeats, LayersAreFound) {
  const Graph graph = Tower(5);
  const auto repeats = FindRepeats(graph, Signatures(graph));
  EXPECT_EQ(repeats, (std::vector<Repeat>{{1, 4, 5}}));
  const auto leaders = LeadersOf(graph, repeats);
  EXPECT_EQ(leaders[0], 0);
  EXPECT_EQ(leaders[7], 3);
  EXPECT_EQ(leaders[21], 21);
}

TEST(Repeats, ALayerWiredOtherwiseIsNotAlike) {
  Graph graph = Tower(5);
  graph.node(11).inputs[0] = graph.node(9).outputs[0];  // skips a node of the third layer
  for (const Repeat& repeat : FindRepeats(graph, Signatures(graph)))
    EXPECT_FALSE(repeat.first <= 7 && 11 < repeat.first + repeat.period * repeat.count);
}

// A chain of nodes, each of which takes the result of the one before it.
Graph Chain(size_t nodes) {
  GraphBuilder b("chain");
  ValueId x = b.Input("x", {ElementType::kF32, {8}});
  for (size_t n = 0; n < nodes; ++n) x = b.Add("Relu", {x});
  return b.Done().value();
}

// Adds the best run among nodes [begin, end) of a chain, trying every period; then those on either
// side of it.
void Cover(const std::vector<int>& signatures, int begin, int end, std::vector<Repeat>& out) {
  Repeat best;
  for (int period = 4; 2 * period <= end - begin; ++period)
    for (int start = begin, i = begin; i + period <= end; ++i) {
      const size_t at = static_cast<size_t>(i);
      if (i > 0 && i + period < end &&
          signatures[at] == signatures[at + static_cast<size_t>(period)])
        continue;
      const int count = (i - start + period) / period;
      if (count >= 2 && count * period > best.count * best.period) best = {start, period, count};
      start = i + 1;
    }
  if (best.count < 2) return;
  Cover(signatures, begin, best.first, out);
  out.push_back(best);
  Cover(signatures, best.first + best.period * best.count, end, out);
}

// Layers of several kinds, between nodes that belong to no layer.
std::vector<int> RandomLayers(std::mt19937& random, size_t nodes) {
  const auto below = [&](size_t end) { return random() % end; };
  std::vector<int> signatures;
  while (signatures.size() < nodes) {
    std::vector<int> block(4 + below(60));
    const size_t kinds = 2 + below(20);
    for (int& one : block) one = static_cast<int>(below(kinds));
    for (size_t count = 1 + below(30); count > 0; --count)
      signatures.insert(signatures.end(), block.begin(), block.end());
    for (size_t other = below(6); other > 0; --other)
      signatures.push_back(static_cast<int>(below(100)));
  }
  return signatures;
}

TEST(Repeats, GuessedPeriodsAreThoseThatCoverMost) {
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    const std::vector<int> signatures = RandomLayers(random, i % 2 == 0 ? 300 : 3000);
    std::vector<Repeat> expected;
    Cover(signatures, 0, static_cast<int>(signatures.size()), expected);
    const auto covered = [](const std::vector<Repeat>& repeats) {
      int nodes = 0;
      for (const Repeat& repeat : repeats) nodes += repeat.period * repeat.count;
      return nodes;
    };
    const auto found = FindRepeats(Chain(signatures.size()), signatures);
    if (signatures.size() <= 512) {
      EXPECT_EQ(found, expected) << i;
    }
    EXPECT_GE(covered(found), 0.98 * covered(expected)) << i;
  }
}

TEST(Repeats, LongChainsTakeLittleTime) {
  const std::vector<int> alike(1 << 18, 0);
  const auto repeats = FindRepeats(Chain(alike.size()), alike);
  ASSERT_FALSE(repeats.empty());
  EXPECT_EQ(repeats[0].period, 4);
  EXPECT_GE(repeats[0].period * repeats[0].count, (1 << 18) - 8);
}

}  // namespace
}  // namespace metadist
