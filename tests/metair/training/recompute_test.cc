// SPDX-License-Identifier: Apache-2.0
#include "metair/training/recompute.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "metair/ir/verify.h"
#include "metair/ops/graph_builder.h"
#include "metair/ops/interpret.h"
#include "metair/passes/passes.h"
#include "metair/training/forward_blocks.h"
#include "metair/training/training.h"

namespace metadist {
namespace {

TensorType F32(Shape shape) { return {ElementType::kF32, std::move(shape)}; }

Tensor Weights(const Shape& shape, int seed) {
  std::vector<double> values(static_cast<size_t>(NumElements(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 0.3 * std::sin(seed + static_cast<double>(i * i));
  return Tensor::Of<double>(shape, values).Cast(ElementType::kF32);
}

// An embedding, `layers` times x + tanh(x w) v, and a loss.
TrainingStep Tower(int layers, const std::string& loss = "mse:y") {
  GraphBuilder b("tower");
  ValueId x = b.Add("MatMul", {b.Input("x", F32({8, 3})), b.Parameter("e", Weights({3, 4}, 1))});
  for (int i = 0; i < layers; ++i) {
    const ValueId w = b.Parameter(fmt::format("w{}", i), Weights({4, 16}, i));
    const ValueId v = b.Parameter(fmt::format("u{}", i), Weights({16, 4}, 2 * i + 1));
    const ValueId h = b.Add("Tanh", {b.Add("MatMul", {x, w})});
    x = b.Add("Add", {x, b.Add("MatMul", {h, v})});
  }
  b.Append({"out", "", "Neg", {}, {x}, {}, {}}, {"y"});
  b.Output(b.graph().FindValue("y"));
  return MakeTrainingStep(b.Done().value(), {.loss = loss}, OpTable::BuiltIn()).value();
}

// Positive, as squares are.
Tensor Data(const Shape& shape) {
  Tensor out = Weights(shape, 7);
  for (int64_t i = 0; i < out.size(); ++i)
    out.mutable_data<float>()[i] = std::abs(out.data<float>()[i]);
  return out;
}

std::vector<Tensor> RunStep(const Graph& graph) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    inputs.push_back(value.data.has_data() ? value.data : Data(value.type.shape));
  }
  return Interpret(graph, OpTable::BuiltIn(), inputs).value();
}

// Bytes of results that live at once, at most.
int64_t Peak(const Graph& graph) {
  const auto uses = UsesOf(graph);
  std::vector<int64_t> change(graph.nodes.size() + 1);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    if (value.producer == kNone) continue;
    NodeId last = value.producer;
    for (const Use& use : uses[v]) last = std::max(last, use.node);
    change[static_cast<size_t>(value.producer)] += value.type.bytes();
    change[static_cast<size_t>(last) + 1] -= value.type.bytes();
  }
  int64_t live = 0, peak = 0;
  for (const int64_t bytes : change) peak = std::max(peak, live += bytes);
  return peak;
}

std::vector<std::string> Names(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::string> out;
  for (const NodeId n : nodes) out.push_back(graph.node(n).op);
  return out;
}

TEST(ForwardBlocks, AreTheLayers) {
  const TrainingStep step = Tower(5);
  const auto blocks = ForwardBlocks(step.graph);
  ASSERT_EQ(blocks.size(), 5U);
  const std::vector<std::string> layer{"MatMul", "Tanh", "MatMul", "Add"};
  std::vector<std::string> first = layer;
  first.insert(first.begin(), "MatMul");  // the embedding
  EXPECT_EQ(Names(step.graph, blocks[0]), first);
  for (size_t i = 1; i < blocks.size(); ++i) EXPECT_EQ(Names(step.graph, blocks[i]), layer);
}

// Sizes shrink along the chain, so that no two nodes are alike.
TEST(ForwardBlocks, CutAChainWithoutLayers) {
  GraphBuilder b("chain");
  ValueId x = b.Input("x", F32({64, 64}));
  for (int64_t n = 63; n > 15; --n)
    x = b.Add("Tanh", {b.Add("MatMul", {x, b.Parameter("", Weights({n + 1, n}, 1))})});
  b.Append({"out", "", "Neg", {}, {x}, {}, {}}, {"y"});
  b.Output(b.graph().FindValue("y"));
  const TrainingStep step =
      MakeTrainingStep(b.Done().value(), {.loss = "mse:y"}, OpTable::BuiltIn()).value();
  const auto blocks = ForwardBlocks(step.graph);
  EXPECT_GE(blocks.size(), 5U);
  EXPECT_LE(blocks.size(), 14U);
  EXPECT_LT(Peak(Recomputed(step.graph, kAllBlocks)), Peak(step.graph) * 2 / 3);
}

TEST(ForwardBlocks, OfNoLayerAndNoChain) {
  EXPECT_TRUE(ForwardBlocks(Graph()).empty());
  GraphBuilder b("small");
  const ValueId x = b.Input("x", F32({2, 2}));
  b.Append({"out", "", "Mul", {}, {x, b.Parameter("w", Weights({2, 2}, 1))}, {}, {}}, {"y"});
  b.Output(b.graph().FindValue("y"));
  const TrainingStep step =
      MakeTrainingStep(b.Done().value(), {.loss = "mse:y"}, OpTable::BuiltIn()).value();
  EXPECT_TRUE(Verify(Recomputed(step.graph, kAllBlocks)).ok());
}

class Blocks : public testing::TestWithParam<int64_t> {};

TEST_P(Blocks, RunAgainWithTheSameResults) {
  const TrainingStep step = Tower(6);
  const Graph again = Recomputed(step.graph, GetParam());
  ASSERT_TRUE(Verify(again).ok()) << Verify(again).error().text();
  const std::vector<Tensor> expected = RunStep(step.graph), got = RunStep(again);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t o = 0; o < got.size(); ++o)
    EXPECT_EQ(got[o].ToDoubles(), expected[o].ToDoubles()) << o;
  const auto tanhs = std::ranges::count(again.nodes, "Tanh", &Node::op);
  EXPECT_EQ(tanhs, 6 + std::min<int64_t>(6, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, Blocks, testing::Values(0, 1, 4, 6, 100, kAllBlocks));

// The residual of every layer is kept, nothing else.
TEST(Recompute, KeepsWhatLaterBlocksRead) {
  const TrainingStep step = Tower(6);
  const Graph again = Recomputed(step.graph, kAllBlocks);
  const std::vector<bool> forward = ForwardNodes(again);
  const auto uses = UsesOf(again);
  std::map<std::string, int> kept;  // by operator
  for (size_t v = 0; v < again.values.size(); ++v) {
    const NodeId producer = again.values[v].producer;
    if (producer == kNone || !forward[static_cast<size_t>(producer)]) continue;
    const bool read = std::ranges::any_of(uses[v], [&](const Use& use) {
      return use.node != kNone && !forward[static_cast<size_t>(use.node)];
    });
    if (!read || again.values[v].type.shape != Shape{8, 4}) continue;
    ++kept[again.node(producer).op];
  }
  EXPECT_EQ(kept, (std::map<std::string, int>{{"Add", 5}, {"Sub", 1}}));  // Sub is of the loss
}

// Though equal constants of the updates and of the backward pass are one value.
TEST(Recompute, UpdatesComeBeforeTheNextBlock) {
  constexpr int kLayers = 6;
  const OpTable& ops = OpTable::BuiltIn();
  const Graph step = RunPasses(Tower(kLayers).graph, PassOptions{}, ops).value().graph;
  const Graph again = Recomputed(step, kAllBlocks);
  std::map<std::string, size_t> at;
  std::vector<size_t> blocks;  // that run again: from the last to the first
  for (size_t n = 0; n < again.nodes.size(); ++n) {
    at[again.nodes[n].name] = n;
    if (RunsAgain(again.nodes[n]) && again.nodes[n].op == "Tanh") blocks.push_back(n);
  }
  ASSERT_EQ(blocks.size(), static_cast<size_t>(kLayers));
  for (int layer = kLayers - 1; layer > 0; --layer) {
    const auto place = static_cast<size_t>(kLayers - 1 - layer);
    const size_t update = at.at(fmt::format("w{}.update", layer));
    EXPECT_GT(update, blocks[place]) << layer;
    EXPECT_LT(update, blocks[place + 1]) << layer;
  }
}

TEST(Recompute, LowersThePeak) {
  const TrainingStep step = Tower(24);
  int64_t last = Peak(step.graph);
  for (const int64_t blocks : {6, 12, 18, 24}) {
    const int64_t peak = Peak(Recomputed(step.graph, blocks));
    EXPECT_LT(peak, last) << blocks;
    last = peak;
  }
}

TEST(Recompute, BlocksAreChosenByText) {
  const TrainingStep step = Tower(3);
  const auto again = [&](const std::string& blocks) {
    const auto made = Recomputed(step.graph, blocks);
    if (!made.ok())
      return std::string(made.error().code == ErrorCode::kUsage ? "refused" : "failed");
    std::string layers;
    for (const Node& node : made.value().nodes)
      if (RunsAgain(node) && node.op == "MatMul")
        for (const ValueId id : node.inputs)
          if (const std::string& name = made.value().value(id).name; name[0] == 'w') layers += name;
    return layers;
  };
  EXPECT_EQ(again("none"), "");
  EXPECT_EQ(again("auto"), "");
  EXPECT_EQ(again("0"), "");
  EXPECT_EQ(again("full"), "w2w1w0");
  EXPECT_EQ(again("2"), "w1w0");
  EXPECT_EQ(again("99"), "w2w1w0");
  EXPECT_EQ(again("u1"), "w1");
  EXPECT_EQ(again("?2"), "w2");
  EXPECT_EQ(again("w*"), "w2w1w0");
  for (const char* wrong : {"", "-1", "12x", "all", "1e3", "99999999999999999999"})
    EXPECT_EQ(again(wrong), "refused") << wrong;
}

}  // namespace
}  // namespace metadist
