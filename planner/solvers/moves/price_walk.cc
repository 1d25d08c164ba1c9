// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/price_walk.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/solvers/bounds/memory_profile.h"

namespace metadist {

// The prices of the bound are right on average, but the choice that they lead to exceeds the limit
// at some times and stays below it at others. So the prices keep moving: every violated peak raises
// its price by length x excess / |excess|^2, where length is a random share of the gap (0.05 to
// 0.35), and a choice that fits lowers all prices by a random factor of 0.9 to 1. This is a
// subgradient step whose length never shrinks: it does not converge but explores. To keep a slight
// excess from distorting the prices, one step raises a price by at most a fifth of the sum of the
// initial prices.

void PriceWalk::Begin(std::vector<double> prices) {
  prices_ = std::move(prices);
  total_ = std::accumulate(prices_.begin(), prices_.end(), 0.0);
}

bool PriceWalk::Follow(const Reduced& reduced, const Choice& choice, double gap, Random& random) {
  const int64_t limit = *reduced.limit;
  const double unit = static_cast<double>(std::max<int64_t>(1, limit));
  const std::vector<int64_t> usage = UsageOf(reduced, choice);
  const std::vector<int> peaks = ViolatedPeaks(usage, limit);
  if (peaks.empty()) {
    const double shrink = 0.9 + 0.1 * random.Unit();
    for (double& price : prices_) price *= shrink;
    return true;
  }
  double norm = 0;
  for (int t : peaks) norm += std::pow(static_cast<double>(usage[t] - limit) / unit, 2);
  const double length = (0.05 + 0.3 * random.Unit()) * gap / norm;
  const double most_raise = total_ > 0 ? 0.2 * random.Unit() * total_ : length;
  for (int t : peaks) {
    const double excess = static_cast<double>(usage[t] - limit) / unit;
    prices_[t] += std::min(length * excess / unit, most_raise);
  }
  return false;
}

}  // namespace metadist
