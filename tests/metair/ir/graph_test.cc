// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/graph.h"

#include <gtest/gtest.h>

namespace metadist {
namespace {

ValueId Add(Graph& graph, const std::string& name, ValueKind kind) {
  return graph.AddValue({name, {ElementType::kF32, {2}}, kind, {}, kNone});
}

// x -> a -> y, with a dead branch x -> b and an unused parameter.
Graph Sample() {
  Graph graph;
  const ValueId x = Add(graph, "x", ValueKind::kInput);
  const ValueId w = Add(graph, "w", ValueKind::kParameter);
  Add(graph, "unused", ValueKind::kParameter);
  const ValueId b = Add(graph, "b", ValueKind::kResult);
  const ValueId a = Add(graph, "a", ValueKind::kResult);
  const ValueId y = Add(graph, "y", ValueKind::kResult);
  graph.inputs = {x};
  graph.outputs = {y};
  graph.AddNode({"dead", "", "Op", {}, {x, w}, {b}, {}});
  graph.AddNode({"first", "", "Op", {}, {x, kNone, x}, {a}, {}});
  graph.AddNode({"second", "", "Op", {}, {a}, {y}, {}});
  return graph;
}

TEST(Graph, UsesAreInNodeOrderAndOutputsLast) {
  const Graph graph = Sample();
  const auto uses = UsesOf(graph);
  ASSERT_EQ(uses[0].size(), 3u);
  EXPECT_EQ(uses[0][0].node, 0);
  EXPECT_EQ(uses[0][1].input, 0);
  EXPECT_EQ(uses[0][2].input, 2);
  ASSERT_EQ(uses[5].size(), 1u);
  EXPECT_EQ(uses[5][0].node, kNone);
}

TEST(Graph, DeadCodeGoesAndIdsAreRenumbered) {
  const Graph graph = WithoutDeadCode(Sample());
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(graph.nodes[0].name, "first");
  EXPECT_EQ(graph.values.size(), 3u);
  EXPECT_EQ(graph.FindValue("w"), kNone);
  EXPECT_EQ(graph.nodes[0].inputs[1], kNone);
  EXPECT_EQ(graph.value(graph.outputs[0]).name, "y");
  EXPECT_EQ(graph.value(graph.outputs[0]).producer, 1);
}

TEST(Graph, StateThatNothingReadsIsNotDead) {
  Graph graph = Sample();
  graph.state = {{graph.FindValue("unused"), graph.FindValue("y")}};
  graph = WithoutDeadCode(graph);
  EXPECT_EQ(graph.FindValue("w"), kNone);
  ASSERT_EQ(graph.state.size(), 1u);
  EXPECT_EQ(graph.state[0].input, graph.FindValue("unused"));
  EXPECT_EQ(graph.state[0].output, graph.FindValue("y"));
}

}  // namespace
}  // namespace metadist
