// SPDX-License-Identifier: Apache-2.0
#include "executor/comm/run_ranks.h"

#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

#include "executor/comm/threads.h"

namespace metadist {
namespace {

TEST(RunRanksTest, CallsWorkForEveryRank) {
  std::vector<std::vector<double>> seen(3);
  const Result<void> done = RunRanks(MakeThreadGroup(3), [&](Transport& world) -> Result<void> {
    seen[static_cast<size_t>(world.rank())] = TRY(world.Collect(10.0 * world.rank()));
    return {};
  });
  ASSERT_TRUE(done.ok());
  for (const std::vector<double>& one : seen) EXPECT_EQ(one, (std::vector<double>{0, 10, 20}));
}

TEST(RunRanksTest, ReportsTheRankThatFailedByItself) {
  const Result<void> done = RunRanks(MakeThreadGroup(3), [](Transport& world) -> Result<void> {
    if (world.rank() == 2) return BadInput("a.onnx", "is broken");
    TRY(world.Collect(0));  // waits for all
    return {};
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(done.error().text(), "rank 2: a.onnx: is broken");
}

TEST(RunRanksTest, ARankWithoutMemoryEndsTheOthers) {
  std::string reason;  // why rank 0 gives up: what it is told, not that it waited for too long
  const Result<void> done = RunRanks(MakeThreadGroup(3), [&](Transport& world) -> Result<void> {
    if (world.rank() == 1) throw std::bad_alloc();
    const auto met = world.Collect(0);
    if (world.rank() == 0 && !met.ok()) reason = met.error().text();
    TRY(met);
    return {};
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(reason, "out of memory");
  EXPECT_EQ(done.error().code, ErrorCode::kDevice);
  EXPECT_EQ(done.error().text(), "rank 1: out of memory");
}

}  // namespace
}  // namespace metadist
