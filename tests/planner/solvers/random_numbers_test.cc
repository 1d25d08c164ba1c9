// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/random_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace metadist {
namespace {

std::vector<int> Shuffled(int count, uint64_t seed) {
  std::vector<int> items(count);
  std::iota(items.begin(), items.end(), 0);
  Random random(seed);
  random.ShuffleInPieces(items);
  return items;
}

TEST(Random, ShufflesInPieces) {
  constexpr int kCount = 20'000;
  const std::vector<int> items = Shuffled(kCount, 1);
  EXPECT_EQ(items, Shuffled(kCount, 1));
  EXPECT_NE(items, Shuffled(kCount, 2));
  std::vector<int> sorted = items;
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(sorted[i], i);
  // Former neighbours are far apart but in the same piece.
  int64_t distance = 0;
  int far = 0;
  for (int i = 1; i < kCount; ++i) {
    const int step = std::abs(items[i] - items[i - 1]);
    distance += step;
    far += step > 4'000;
  }
  EXPECT_GT(distance / kCount, 300);
  EXPECT_LT(far, 20);
  EXPECT_GT(far, 2);
}

TEST(Random, OnePieceIsShuffledWhole) {
  int first = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) first += Shuffled(100, seed)[0];
  EXPECT_NEAR(first / 200.0, 50, 8);
  EXPECT_TRUE(Shuffled(0, 0).empty());
}

}  // namespace
}  // namespace metadist
