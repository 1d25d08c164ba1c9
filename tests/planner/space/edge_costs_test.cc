// SPDX-License-Identifier: Apache-2.0
#include "planner/space/edge_costs.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/planner/test_cluster.h"

namespace metadist {
namespace {

// Gathering what two nodes hold is cheaper if all GPUs of a node share the work, on the axis that
// neither end uses. Costs that were computed with that axis must not serve plans without it.
TEST(EdgeCosts, AreKeptByTheAxesOfTheirRoutes) {
  const Cluster cluster = MakeCluster("two nodes", TestCluster(4).profile, 2, 4);
  const Mesh mesh = ParseMesh("nodes=2,gpus=4").value();
  const TensorType type{ElementType::kF32, {4096, 4096}};
  const auto sharding = [&](const char* text) {
    return ParseSharding(text, type.shape, mesh).value();
  };
  EdgeCostsOfMeshes shared;
  const auto picoseconds = [&](RouteAxes axes) {
    Redistributor routes(mesh, cluster, axes);
    EdgeCosts& costs = shared.Of(mesh, axes);
    const EdgeCosts::Edge edge{
        &type, costs.Source({sharding("[nodes][]")}), costs.Target({{sharding("[][]")}})};
    costs.Price({edge}, routes, 1);
    return costs.Between(edge)->at(0);
  };
  const int64_t all = picoseconds(RouteAxes::kAll);
  const int64_t changed = picoseconds(RouteAxes::kChanged);
  EXPECT_LT(all, changed);
  EXPECT_EQ(picoseconds(RouteAxes::kAll), all);
}

}  // namespace
}  // namespace metadist
