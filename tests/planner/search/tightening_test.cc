// SPDX-License-Identifier: Apache-2.0
#include "planner/search/tightening.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace metadist {
namespace {

// A choice of the problem, in order of increasing cost: its peak, and that of its program.
struct Made {
  int64_t cost = 0;
  int64_t peak = 0;
  int64_t program = 0;
};

// The cheapest choice found whose program stays within the limit; and the limits tried.
std::optional<Made> Search(const std::vector<Made>& choices,
                           int64_t limit,
                           std::vector<int64_t>* tried = nullptr) {
  std::optional<Made> best;
  Tightening limits(limit);
  for (auto next = limits.Next(); next; next = limits.Next()) {
    if (tried != nullptr) tried->push_back(*next);
    const Made* found = nullptr;
    for (const Made& one : choices)
      if (found == nullptr && one.peak <= *next) found = &one;
    if (found != nullptr && found->program > limit && (!best || found->cost < best->cost)) {
      limits.Exceeds(found->peak, found->program - limit);
      continue;
    }
    if (found != nullptr && (!best || found->cost < best->cost)) best = *found;
    limits.Settles();
  }
  return best;
}

TEST(Tightening, AFirstProgramThatFitsIsAll) {
  std::vector<int64_t> tried;
  EXPECT_EQ(Search({{1, 90, 100}}, 100, &tried)->cost, 1);
  EXPECT_EQ(tried, std::vector<int64_t>({100}));
}

TEST(Tightening, NothingUnderTheTrueLimitIsAll) {
  std::vector<int64_t> tried;
  EXPECT_FALSE(Search({{1, 110, 110}}, 100, &tried));
  EXPECT_EQ(tried, std::vector<int64_t>({100}));
}

TEST(Tightening, GoesDownByWhatWasExceeded) {
  std::vector<int64_t> tried;
  const std::vector<Made> choices{{1, 1000, 1100}, {2, 890, 990}};
  EXPECT_EQ(Search(choices, 1000, &tried)->cost, 2);
  ASSERT_GE(tried.size(), 2u);
  EXPECT_EQ(tried[1], 900);
}

TEST(Tightening, FindsThePlanThatItSteppedOver) {
  // The first program exceeds the limit by 400, but the second one does not exceed it.
  const std::vector<Made> choices{{1, 1000, 1400}, {2, 950, 1000}, {3, 500, 600}};
  EXPECT_EQ(Search(choices, 1000)->cost, 2);
}

TEST(Tightening, FindsAPlanWhereTheFirstStepsLeaveNone) {
  const std::vector<Made> choices{{1, 1000, 1400}, {2, 950, 1000}};
  EXPECT_EQ(Search(choices, 1000)->cost, 2);
}

TEST(Tightening, AnExcessBeyondTheLimitHalves) {
  const std::vector<Made> choices{{1, 1000, 5000}, {2, 300, 900}};
  EXPECT_EQ(Search(choices, 1000)->cost, 2);
}

TEST(Tightening, Ends) {
  std::vector<int64_t> tried;
  std::vector<Made> choices;
  for (int64_t k = 0; k < 1000; ++k) choices.push_back({k, 1000 - k, 1001});
  EXPECT_FALSE(Search(choices, 1000, &tried));
  EXPECT_LE(tried.size(), 10u);
  for (size_t i = 1; i < tried.size(); ++i) EXPECT_LT(tried[i], tried[i - 1]);
}

}  // namespace
}  // namespace metadist
