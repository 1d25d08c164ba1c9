// SPDX-License-Identifier: Apache-2.0
// Compared with a count element by element.
#include "planner/redistribute/inflow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace metadist {
namespace {

std::set<int64_t> Elements(const Shape& shape,
                           const Sharding& sharding,
                           const Mesh& mesh,
                           int64_t rank) {
  std::vector<int64_t> out{0};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t prefix : out)
      for (const Interval& run :
           LocalIntervals(sharding.dims[d], shape[d], mesh, mesh.CoordinateOf(rank)))
        for (int64_t i = run.begin; i < run.end; ++i) next.push_back(prefix * shape[d] + i);
    out = next;
  }
  return {out.begin(), out.end()};
}

Inflow ByElement(const Shape& shape,
                 const Sharding& from,
                 const Sharding& to,
                 const Mesh& mesh,
                 const std::vector<int>& axes) {
  Inflow worst;
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    std::set<int64_t> lacking = Elements(shape, to, mesh, rank);
    for (int64_t held : Elements(shape, from, mesh, rank)) lacking.erase(held);
    Inflow inflow{0, static_cast<int64_t>(lacking.size())};
    int64_t missing = inflow.elements;
    for (int64_t peer : mesh.Group(axes, rank)) {
      if (missing <= 0) break;
      if (peer == rank) continue;
      int64_t common = 0;
      const std::set<int64_t> wanted = Elements(shape, to, mesh, rank);
      for (int64_t held : Elements(shape, from, mesh, peer)) common += wanted.count(held);
      if (common == 0) continue;
      ++inflow.peers;
      missing -= common;
    }
    worst.peers = std::max(worst.peers, inflow.peers);
    worst.elements = std::max(worst.elements, inflow.elements);
  }
  return worst;
}

TEST(ExchangeTraffic, CountsAsElementByElement) {
  const Mesh mesh = ParseMesh("x=2,y=3,z=2").value();
  ExchangeTraffic traffic(mesh, 64);
  const std::vector<int> axes{0, 1, 2};
  // One object for all arrays: a count cached for one must be right for the others.
  for (const Shape& shape : {Shape{12, 24}, Shape{24, 12}, Shape{36, 48}, Shape{14, 24}}) {
    std::vector<Sharding> all;
    for (const char* text : {"[x,y][]",
                             "[y,x][z]",
                             "[][x,y]",
                             "[z][y]",
                             "[][]",
                             "[x][(2 12:y)]",
                             "[][(4:x 6:z)]",
                             "[][(3:y 8:x)]",
                             "[][(8:x)+(16:x)]",
                             "[(7:y 2:x)][z]",
                             "[(6:y 2:x)][z]"}) {
      const auto sharding = ParseSharding(text, shape, mesh);
      if (sharding.ok()) all.push_back(Normalize(sharding.value(), mesh));
    }
    ASSERT_GE(all.size(), 5U);
    for (const Sharding& from : all)
      for (const Sharding& to : all)
        EXPECT_EQ(traffic.Worst(shape, from, to, axes), ByElement(shape, from, to, mesh, axes))
            << ShardingText(from, mesh) << " -> " << ShardingText(to, mesh);
  }
}

TEST(ExchangeTraffic, AsksWithinTheGroupOnly) {
  const Mesh mesh = ParseMesh("x=2,y=2").value();
  ExchangeTraffic traffic(mesh, 64);
  const Shape shape{8, 8};
  const Sharding rows = ParseSharding("[x,y][]", shape, mesh).value();
  const Sharding columns = ParseSharding("[x][y]", shape, mesh).value();
  EXPECT_EQ(traffic.Worst(shape, rows, columns, {1}), (Inflow{1, 8}));
}

TEST(ExchangeTraffic, NothingLacksOfAnEmptyArray) {
  const Mesh mesh = ParseMesh("x=2,y=2").value();
  ExchangeTraffic traffic(mesh, 64);
  const Shape shape{8, 8, 0};
  const Sharding rows = ParseSharding("[x,y][][]", shape, mesh).value();
  const Sharding columns = ParseSharding("[x][y][]", shape, mesh).value();
  EXPECT_EQ(traffic.Worst(shape, rows, columns, {1}), Inflow{});
}

}  // namespace
}  // namespace metadist
