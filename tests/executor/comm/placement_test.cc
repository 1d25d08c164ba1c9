// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/placement.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <map>
#include <set>
#include <thread>

namespace metadist {
namespace {

std::set<int> CoresOfThisThread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  std::set<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.insert(core);
  return cores;
}

// The cores on which a thread placed as this rank may run.
std::set<int> CoresOfRank(int rank, int ranks) {
  std::set<int> cores;
  std::thread([&] {
    PlaceRank(rank, ranks);
    cores = CoresOfThisThread();
  }).join();
  return cores;
}

TEST(Placement, FewerRanksThanCoresStayFree) {
  const std::set<int> all = CoresOfThisThread();
  if (all.size() < 2) GTEST_SKIP() << "one core";
  EXPECT_EQ(CoresOfRank(0, 1), all);
  EXPECT_EQ(CoresOfRank(0, static_cast<int>(all.size()) - 1), all);
}

TEST(Placement, AsManyRanksAsCoresHaveOneEach) {
  const std::set<int> all = CoresOfThisThread();
  const int ranks = static_cast<int>(all.size());
  std::set<int> taken;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::set<int> own = CoresOfRank(rank, ranks);
    ASSERT_EQ(own.size(), 1u) << rank;
    taken.insert(*own.begin());
  }
  EXPECT_EQ(taken, all);
}

TEST(Placement, MoreRanksThanCoresAreSpreadEvenly) {
  const std::set<int> all = CoresOfThisThread();
  const int ranks = 2 * static_cast<int>(all.size()) + 1;
  std::map<int, int> ranks_of;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::set<int> own = CoresOfRank(rank, ranks);
    ASSERT_EQ(own.size(), 1u) << rank;
    ++ranks_of[*own.begin()];
  }
  EXPECT_EQ(ranks_of.size(), all.size());
  for (const auto& [core, count] : ranks_of) EXPECT_TRUE(count == 2 || count == 3) << core;
}

// The cores of the process are those available before any rank was placed.
TEST(Placement, APlacedThreadStartsRanksOnAllCores) {
  const std::set<int> all = CoresOfThisThread();
  const int ranks = static_cast<int>(all.size());
  std::set<int> last;
  std::thread([&] {
    PlaceRank(0, ranks);
    last = CoresOfRank(ranks - 1, ranks);
  }).join();
  EXPECT_EQ(last, std::set<int>{*all.rbegin()});
}

}  // namespace
}  // namespace metadist
