// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/min_plus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "planner/solvers/problem/random_numbers.h"

namespace metadist {
namespace {

// Integers, values that need rounding, and forbidden entries.
double Entry(Random& random) {
  if (random.Below(10) == 0) return 1e18;
  return random.Below(2) == 0 ? random.Below(20) - 10 : (random.Unit() - 0.5) * 1e6;
}

TEST(MinPlus, IsTheMinimumOverRowsAtEverySize) {
  Random random(0);
  for (size_t rows = 1; rows <= 20; ++rows) {
    for (size_t columns = 1; columns <= 40; ++columns) {
      std::vector<double> added(rows);
      std::vector<double> costs(rows * columns);
      for (double& value : added) value = Entry(random);
      for (double& value : costs) value = Entry(random);
      std::vector<double> wanted(columns);
      for (size_t q = 0; q < columns; ++q) {
        wanted[q] = added[0] + costs[q];
        for (size_t p = 1; p < rows; ++p) {
          wanted[q] = std::min(wanted[q], added[p] + costs[p * columns + q]);
        }
      }
      const double least = *std::min_element(wanted.begin(), wanted.end());
      // The number after the last must not change.
      std::vector<double> out(columns + 1, 7);
      EXPECT_EQ(MinPlus(added, costs.data(), columns, out.data()), least);
      EXPECT_EQ(out.back(), 7);
      out.pop_back();
      EXPECT_EQ(out, wanted) << rows << " x " << columns;
    }
  }
}

}  // namespace
}  // namespace metadist
