// SPDX-License-Identifier: Apache-2.0
#include "planner/space/widest_rank.h"

#include <gtest/gtest.h>

#include "planner/space/assignment.h"

namespace metadist {
namespace {

Sharding Rows(std::vector<int> axes, int64_t size, Halo halo) {
  DimSharding rows{{DimPart{{SubDim{size, std::move(axes)}}}}};
  rows.halo = halo;
  return {{rows, {}}, {}};
}

// The first rank has the larger pieces, but no neighbour before it.
TEST(WidestRank, IsTheSecondAlongDimsWithAHalo) {
  const Mesh mesh{{{"x", 2}, {"y", 3}}};
  Strategy strategy;
  strategy.inputs = {Rows({1}, 12, {})};
  strategy.outputs = {Rows({1}, 12, {})};
  EXPECT_EQ(WidestRank(strategy.layout(), mesh), 0);
  Halo halo;
  halo.before = 1;
  halo.behind = 1;
  strategy.inputs = {Rows({1}, 12, halo)};
  EXPECT_EQ(WidestRank(strategy.layout(), mesh), 1);
  strategy.inputs = {Rows({0}, 12, halo)};
  EXPECT_EQ(WidestRank(strategy.layout(), mesh), 3);
  strategy.inputs = {Rows({0, 1}, 12, halo)};
  EXPECT_EQ(WidestRank(strategy.layout(), mesh), 1);
}

}  // namespace
}  // namespace metadist
