// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/live_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/planner/solvers/moves.h"

namespace metadist {
namespace {

bool Holds(const RowTable::Rows& rows, int64_t time) {
  for (const RowTable::Row& row : rows)
    if (row.lo <= time && time < row.hi) return true;
  return false;
}

TEST(LiveNodes, AreAllThatHoldMemoryAtATimeInOrder) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    const LiveNodes live(reduced);
    std::vector<int> lists;
    for (int64_t t = 0; t < static_cast<int64_t>(reduced.base.size()); ++t) {
      std::set<int> found;
      live.Over(t, lists);
      for (int list : lists) {
        const std::span<const int> nodes = live.list(list);
        EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end(), std::less_equal<>())) << seed;
        found.insert(nodes.begin(), nodes.end());
      }
      for (int i = 0; i < reduced.count(); ++i) {
        EXPECT_TRUE(!Holds(reduced.rows[i], t) || found.contains(i)) << seed;
      }
    }
    for (int i = 0; i < reduced.count(); ++i) {
      for (const RowTable::Row& row : reduced.rows[i]) {
        lists.clear();
        live.Of(row, lists);
        EXPECT_LE(lists.size(), 3) << seed;
        for (int list : lists) EXPECT_TRUE(std::ranges::count(live.list(list), i)) << seed;
      }
    }
  }
}

TEST(LiveNodes, AreFewWhereRowsAreShortWhateverElseLives) {
  Reduced reduced;
  auto add = [&](int64_t lo, int64_t hi) {
    reduced.costs.Add({0, 1});
    reduced.rows.Add({{lo, hi, {1, 0}}});
  };
  for (int64_t i = 0; i < 1000; ++i) add(i, i + 10);
  for (int64_t i = 0; i < 5; ++i) add(0, 1010);
  reduced.limit = 1;
  reduced.base.assign(1010, 0);
  const LiveNodes live(reduced);
  std::vector<int> lists;
  for (int t = 0; t < 1010; ++t) {
    size_t size = 0;
    live.Over(t, lists);
    for (int list : lists) size += live.list(list).size();
    EXPECT_LE(size, 25);
  }
}

}  // namespace
}  // namespace metadist
