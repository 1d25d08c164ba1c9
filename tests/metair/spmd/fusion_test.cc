// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/fusion.h"

#include <gtest/gtest.h>

#include "metair/ops/graph_builder.h"

namespace metadist {
namespace {

using Groups = std::vector<FusedNodes>;

TensorType F32(Shape shape) { return {ElementType::kF32, std::move(shape)}; }

Groups WholeGroups(const Graph& graph) {
  return FuseElementwise(graph, {}, ParseMesh("x=2").value(), OpTable::BuiltIn());
}

TEST(Fusion, TakesConsecutiveElementwiseNodes) {
  GraphBuilder b("g");
  const ValueId x = b.Input("x", F32({4, 6}));
  const ValueId exp = b.Add("Exp", {b.Add("Neg", {x})});
  const ValueId product = b.Add("MatMul", {exp, b.Input("w", F32({6, 6}))});
  b.Output(b.Add("Tanh", {b.Add("Add", {product, b.Input("bias", F32({6}))})}));
  EXPECT_EQ(WholeGroups(b.Done().value()), (Groups{{0, 1}, {3, 4}}));
}

TEST(Fusion, LooksThroughViewsAndPastNodesInBetween) {
  GraphBuilder b("g");
  const ValueId x = b.Input("x", F32({4, 6}));
  const ValueId flat = b.Add("Flatten", {b.Add("Neg", {x})});
  const ValueId other = b.Add("Abs", {b.Input("y", F32({24}))});
  b.Output(b.Add("Exp", {flat}));
  b.Output(other);
  EXPECT_EQ(WholeGroups(b.Done().value()), (Groups{{0, 2, 3}}));
}

TEST(Fusion, LeavesOutNodesThatShareNothing) {
  GraphBuilder b("g");
  const ValueId x = b.Input("x", F32({4}));
  b.Output(b.Add("Abs", {b.Input("y", F32({4}))}));
  b.Output(b.Add("Exp", {b.Add("Neg", {x})}));
  b.Output(b.Add("Sqrt", {b.Input("z", F32({4}))}));
  EXPECT_EQ(WholeGroups(b.Done().value()), (Groups{{1, 2}}));
  GraphBuilder apart("apart");
  apart.Output(apart.Add("Abs", {apart.Input("x", F32({4}))}));
  apart.Output(apart.Add("Abs", {apart.Input("y", F32({4}))}));
  EXPECT_EQ(WholeGroups(apart.Done().value()), Groups{});
}

TEST(Fusion, EndsWhereAnOperandIsBroadcast) {
  GraphBuilder b("g");
  const ValueId x = b.Input("x", F32({4, 4}));
  const ValueId row = b.Add("Exp", {b.Add("Neg", {b.Input("row", F32({4}))})});
  b.Output(b.Add("Abs", {b.Add("Mul", {x, row})}));
  EXPECT_EQ(WholeGroups(b.Done().value()), (Groups{{0, 1}, {2, 3}}));
}

// A sum over micro-batches goes on with each, what is made of it comes after the last.
TEST(Fusion, EndsBeforeWhatRunsOnce) {
  GraphBuilder b("g");
  const ValueId part = b.Add("Neg", {b.Input("x", F32({4}))});
  const ValueId sum = b.Input("sum", F32({4}));
  const ValueId next = b.Add("metadist.Accumulate", {sum, part});
  b.Output(b.Add("Exp", {b.Add("Abs", {next})}));
  const Graph without = b.Done().value();
  EXPECT_EQ(WholeGroups(without), (Groups{{0, 1, 2, 3}}));
  Graph with = without;
  with.state.push_back({sum, next, /*sums=*/true});
  EXPECT_EQ(WholeGroups(with), (Groups{{0, 1}, {2, 3}}));
}

// Sizes that are equal on the whole, but not on each rank.
TEST(Fusion, ComparesWhatRanksHold) {
  GraphBuilder b("g");
  const ValueId x = b.Input("x", F32({5, 2}));
  const ValueId reshaped = b.With("Reshape", b.Add("Neg", {x}), {2, 5});
  b.Output(b.Add("Exp", {reshaped}));
  const Graph graph = b.Done().value();
  const Mesh mesh = ParseMesh("x=2").value();
  std::vector<Sharding> shardings;
  for (const Value& value : graph.values)
    shardings.push_back(Sharding::Replicated(value.type.shape.size()));
  EXPECT_EQ(FuseElementwise(graph, shardings, mesh, OpTable::BuiltIn()), (Groups{{0, 2}}));
  const ValueId end = graph.outputs[0];
  shardings[static_cast<size_t>(end)] = ParseSharding("[x][]", {2, 5}, mesh).value();
  EXPECT_EQ(FuseElementwise(graph, shardings, mesh, OpTable::BuiltIn()), Groups{});
}

TEST(Fusion, KnowsWhatLeavesAGroup) {
  GraphBuilder b("g");
  const ValueId x = b.Input("x", F32({4, 6}));
  const ValueId kept = b.Add("Neg", {x});
  const ValueId inner = b.Add("Exp", {kept});
  const ValueId last = b.Add("Add", {inner, x});
  b.Output(kept);
  b.Output(b.Add("MatMul", {last, b.Input("w", F32({6, 6}))}));
  const Graph graph = b.Done().value();
  const auto operands = FusedOperandsOf(graph, WholeGroups(graph), OpTable::BuiltIn());
  ASSERT_EQ(operands.size(), 4u);
  EXPECT_EQ(operands[0], (FusedOperands{{false}, true}));
  EXPECT_EQ(operands[1], (FusedOperands{{true}, false}));
  EXPECT_EQ(operands[2], (FusedOperands{{true, false}, true}));
  EXPECT_EQ(operands[3], FusedOperands{});
}

}  // namespace
}  // namespace metadist
