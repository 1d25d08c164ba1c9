// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
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

}  // namespace
}  // namespace metadist
