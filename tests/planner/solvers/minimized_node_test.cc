// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/minimized_node.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/cost_graph.h"

namespace metadist {
namespace {

std::vector<int64_t> Draw(Random& random, size_t count) {
  std::vector<int64_t> out;
  for (size_t k = 0; k < count; ++k) {
    out.push_back(random.Unit() < 0.1 ? kInfinite : random.Below(20));
  }
  return out;
}

// Runs the minimiser and compares the result with trying all strategies.
void ExpectRight(NodeMinimizer& minimizer,
                 const std::vector<int64_t>& costs,
                 const NodeMinimizer::Side& a,
                 const NodeMinimizer::Side& b) {
  const MinimizedNode& out = minimizer.Run(costs, a, b);
  ASSERT_EQ(out.least.size(), a.size * b.size);
  for (size_t x = 0; x < a.size; ++x) {
    for (size_t y = 0; y < b.size; ++y) {
      int64_t least = kInfinite;
      int best = 0;
      for (size_t p = 0; p < costs.size(); ++p) {
        int64_t cost = costs[p];
        if (!a.costs.empty()) cost = AddCosts(cost, a.costs[p * a.size + x]);
        if (!b.costs.empty()) cost = AddCosts(cost, b.costs[p * b.size + y]);
        if (cost >= least) continue;
        least = cost;
        best = static_cast<int>(p);
      }
      EXPECT_EQ(out.least[x * b.size + y], least);
      EXPECT_EQ(out.best[x * b.size + y], best);
    }
  }
}

// Runs one question three times, with others in between. No entries: there is no such neighbour.
TEST(NodeMinimizer, GivesTheLeastOfAllStrategiesAsOftenAsAsked) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const size_t own = 1 + random.Below(9);
    const size_t size_a = random.Below(4);
    const size_t size_b = random.Below(14);  // of more than one group of columns
    const std::vector<int64_t> costs = Draw(random, own);
    const std::vector<int64_t> costs_a = Draw(random, own * size_a);
    const std::vector<int64_t> costs_b = Draw(random, own * size_b);
    const NodeMinimizer::Side a{costs_a, std::max<size_t>(1, size_a)};
    const NodeMinimizer::Side b{costs_b, std::max<size_t>(1, size_b)};
    NodeMinimizer minimizer;
    for (int round = 0; round < 3; ++round) {
      ExpectRight(minimizer, costs, a, b);
      ExpectRight(minimizer, Draw(random, own), a, b);
    }
    EXPECT_LE(minimizer.computed(), 4) << seed;
  }
}

}  // namespace
}  // namespace metadist
