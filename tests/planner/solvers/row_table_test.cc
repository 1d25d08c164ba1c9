// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/row_table.h"

#include <gtest/gtest.h>

#include "planner/solvers/problem/jagged.h"
#include "planner/solvers/problem/random_numbers.h"

namespace metadist {
namespace {

std::vector<std::vector<MemoryRow>> RandomRows(uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<MemoryRow>> out(random.Below(6));
  for (std::vector<MemoryRow>& rows : out) {
    const int strategies = 1 + random.Below(5);
    rows.resize(random.Below(4));
    for (MemoryRow& row : rows) {
      row.lo = random.Below(9);
      row.hi = row.lo + random.Below(9);
      for (int p = 0; p < strategies; ++p) row.usage.push_back(random.Below(100));
    }
  }
  return out;
}

void ExpectSame(const MemoryRow& row, const RowTable::Row& kept) {
  EXPECT_EQ(kept.lo, row.lo);
  EXPECT_EQ(kept.hi, row.hi);
  EXPECT_EQ(std::vector<int64_t>(kept.usage.begin(), kept.usage.end()), row.usage);
}

TEST(RowTable, HoldsWhatWasAdded) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto nodes = RandomRows(seed);
    RowTable table;
    for (const std::vector<MemoryRow>& rows : nodes) table.Add(rows);
    const RowTable copy = table;  // NOLINT(performance-unnecessary-copy-initialization): under test
    ASSERT_EQ(copy.size(), nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      ASSERT_EQ(copy[i].size(), nodes[i].size());
      EXPECT_EQ(copy[i].empty(), nodes[i].empty());
      size_t r = 0;
      for (const RowTable::Row& row : copy[i]) ExpectSame(nodes[i][r++], row);
      EXPECT_EQ(r, nodes[i].size());
      for (r = 0; r < nodes[i].size(); ++r) ExpectSame(nodes[i][r], copy[i][r]);
      const std::vector<MemoryRow> back = copy.Copy(i);
      for (r = 0; r < nodes[i].size(); ++r) ExpectSame(back[r], copy[i][r]);
    }
    table.Clear();
    ASSERT_EQ(table.size(), nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) EXPECT_TRUE(table[i].empty());
  }
}

TEST(Jagged, HoldsArraysOfAnyLength) {
  const Jagged<int> arrays = {{1, 2, 3}, {}, {4}};
  ASSERT_EQ(arrays.size(), 3);
  EXPECT_EQ(arrays[0].size(), 3);
  EXPECT_TRUE(arrays[1].empty());
  EXPECT_EQ(arrays[2][0], 4);
  EXPECT_EQ(arrays.values(), (std::vector<int>{1, 2, 3, 4}));
  Jagged<double> like(arrays, 0.5);
  EXPECT_EQ(like.first(), arrays.first());
  like[2][0] = 7;
  EXPECT_EQ(like.values(), (std::vector<double>{0.5, 0.5, 0.5, 7}));
}

TEST(Jagged, GroupsElementsInTheirOrder) {
  const std::vector<std::pair<int, int>> pairs = {{2, 7}, {0, 5}, {2, 6}};
  const auto groups = Jagged<int>::Grouped(4, [&pairs](auto add) {
    for (const auto& [array, element] : pairs) add(array, element);
  });
  EXPECT_EQ(groups.first(), (std::vector<size_t>{0, 1, 1, 3, 3}));
  EXPECT_EQ(groups.values(), (std::vector<int>{5, 7, 6}));
  EXPECT_EQ(Jagged<int>::Grouped(0, [](auto) {}).size(), 0);
}

}  // namespace
}  // namespace metadist
