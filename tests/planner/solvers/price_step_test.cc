// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/price_step.h"

#include <gtest/gtest.h>

namespace metadist {
namespace {

// Only three times and a limit.
Reduced ThreeTimes(int64_t limit) {
  Reduced reduced;
  reduced.limit = limit;
  reduced.base = {0, 0, 0};
  return reduced;
}

TEST(PriceStep, GoesAlongWhatIsTooMuchAsFarAsItShouldReach) {
  const Reduced reduced = ThreeTimes(100);
  PriceStep step(reduced);
  std::vector<double> prices = {0, 0, 0};
  ASSERT_TRUE(step.Move({50, 120, 90}, 1, 7, prices));
  EXPECT_EQ(prices[0], 0);
  EXPECT_EQ(prices[2], 0);
  // To first order the bound rises by price x excess.
  EXPECT_NEAR(prices[1] * 20, 7, 1e-9);
}

TEST(PriceStep, PricesFallWhereThereIsRoomButNotBelowZero) {
  const Reduced reduced = ThreeTimes(100);
  PriceStep step(reduced);
  std::vector<double> prices = {2, 0, 0.001};
  ASSERT_TRUE(step.Move({90, 80, 50}, 1, 1, prices));
  EXPECT_GT(prices[0], 0);
  EXPECT_LT(prices[0], 2);
  EXPECT_EQ(prices[1], 0);
  EXPECT_EQ(prices[2], 0);
}

TEST(PriceStep, AveragesDirections) {
  const Reduced reduced = ThreeTimes(100);
  PriceStep step(reduced);
  std::vector<double> prices = {5, 5, 5};
  ASSERT_TRUE(step.Move({200, 100, 100}, 0.25, 1, prices));
  EXPECT_DOUBLE_EQ(step.direction()[0], 0.25);
  ASSERT_TRUE(step.Move({0, 100, 100}, 0.25, 1, prices));
  EXPECT_DOUBLE_EQ(step.direction()[0], 0.75 * 0.25 - 0.25);
  step.Forget();
  EXPECT_EQ(step.direction(), std::vector<double>(3, 0));
}

TEST(PriceStep, HasNoDirectionWhereAllFitsForNothing) {
  const Reduced reduced = ThreeTimes(100);
  PriceStep step(reduced);
  std::vector<double> prices = {0, 0, 0};
  EXPECT_FALSE(step.Move({50, 100, 90}, 1, 7, prices));
  EXPECT_EQ(prices, std::vector<double>(3, 0));
}

}  // namespace
}  // namespace metadist
