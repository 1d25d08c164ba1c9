// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/live_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/planner/solvers/moves.h"

namespace metadist {
namespace {

TEST(LiveNodes, AreAllThatHoldMemoryAtATimeInOrder) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Reduced reduced = ReducedForMoves(seed);
    const LiveNodes live(reduced);
    for (size_t t = 0; t < reduced.base.size(); ++t) {
      const std::span<const int> nodes = live.At(static_cast<int>(t));
      EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end(), std::less_equal<>())) << seed;
      for (int i = 0; i < reduced.count(); ++i) {
        const bool holds =
            std::any_of(reduced.rows[i].begin(), reduced.rows[i].end(), [&](const MemoryRow& row) {
              return row.lo <= static_cast<int64_t>(t) && static_cast<int64_t>(t) < row.hi;
            });
        EXPECT_TRUE(!holds || std::binary_search(nodes.begin(), nodes.end(), i)) << seed;
      }
    }
  }
}

TEST(LiveNodes, AreFewWhereRowsAreShort) {
  Reduced reduced;
  for (int64_t i = 0; i < 1000; ++i) {
    reduced.costs.push_back({0, 1});
    reduced.rows.push_back({{i, i + 10, {1, 0}}});
  }
  reduced.limit = 1;
  reduced.base.assign(1010, 0);
  const LiveNodes live(reduced);
  for (int t = 0; t < 1010; ++t) EXPECT_LE(live.At(t).size(), 20);
}

}  // namespace
}  // namespace metadist
