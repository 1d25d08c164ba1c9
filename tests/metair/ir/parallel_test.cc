// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <new>
#include <vector>

namespace metadist {
namespace {

TEST(ParallelForTest, VisitsEveryIndexOnceAtAnyThreadCount) {
  for (const int threads : {-1, 1, 2, 7}) {
    std::vector<std::atomic<int>> visits(100);
    ParallelFor(visits.size(), threads, [&](size_t i) { ++visits[i]; });
    for (const auto& count : visits) EXPECT_EQ(count, 1) << threads << " threads";
  }
}

TEST(ParallelForTest, NoIndicesNoCalls) {
  ParallelFor(0, 4, [](size_t) { FAIL() << "called"; });
}

TEST(ParallelForTest, AnExceptionReachesTheCallerFromAnyThread) {
  for (size_t thrower = 0; thrower < 8; ++thrower) {
    EXPECT_THROW(ParallelFor(8,
                             4,
                             [&](size_t i) {
                               if (i == thrower) throw std::bad_alloc();
                             }),
                 std::bad_alloc);
  }
}

TEST(RunAtOnceTest, CallsRunAtTheSameTime) {
  std::barrier all(5);
  std::vector<int> calls(5, 0);
  const Result<void> done = RunAtOnce(calls.size(), [&](size_t i) {
    all.arrive_and_wait();
    ++calls[i];
  });
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(calls, std::vector<int>(5, 1));
}

TEST(RunAtOnceTest, ACallWithoutMemoryIsAnError) {
  int others = 0;
  const Result<void> done = RunAtOnce(2, [&](size_t i) {
    if (i == 0) throw std::bad_alloc();
    ++others;
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kDevice);
  EXPECT_EQ(done.error().text(), "out of memory");
  EXPECT_EQ(others, 1);
}

}  // namespace
}  // namespace metadist
