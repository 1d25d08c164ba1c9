// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "metair/ops/graph_builder.h"
#include "planner/rules/book/rule_book.h"
#include "planner/space/strategies.h"
#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

// Divisibility is checked for each mesh axis, not for the whole mesh: a batch of 4 on a mesh of 2 x
// 4 is cut by either axis, but not by both.
TEST(SmallBatch, ABatchSmallerThanTheMeshIsCutByOneAxis) {
  GraphBuilder b("small");
  b.Add("Relu", {b.Input("x", {ElementType::kF32, {4, 64}})});
  const Graph graph = b.Done().value();

  const Mesh mesh = ParseMesh("x=2,y=4").value();
  const Cluster cluster = TestCluster(static_cast<int>(mesh.ranks()));
  RuleBook book(OpTable::BuiltIn());
  std::set<std::string> found;
  for (const PricedStrategy& s : StrategiesOf({&graph, &OpTable::BuiltIn(), &mesh, &cluster},
                                              graph.node(0),
                                              book.For(graph, graph.node(0))))
    if (s.strategy.inputs[0].partial.empty())
      found.insert(ShardingText(s.strategy.inputs[0], mesh));
  EXPECT_EQ((std::set<std::string>{
                "[][]", "[x][]", "[y][]", "[][x]", "[][y]", "[][x,y]", "[x][y]", "[y][x]"}),
            found);
}

}  // namespace
}  // namespace metadist
