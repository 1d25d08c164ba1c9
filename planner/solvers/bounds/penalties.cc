// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/penalties.h"

#include <algorithm>

namespace metadist {

void PricePenalties(const Reduced& reduced,
                    const std::vector<double>& prices,
                    Jagged<double>& penalties) {
  std::vector<double> prefix(prices.size() + 1, 0);
  for (size_t t = 0; t < prices.size(); ++t) prefix[t + 1] = prefix[t] + prices[t];
  if (penalties.first() != reduced.costs.first()) penalties = {reduced.costs, 0};
  std::ranges::fill(penalties.values(), 0);
  for (int i = 0; i < reduced.count(); ++i) {
    const std::span<double> penalty = penalties[i];
    for (const RowTable::Row& row : reduced.rows[i]) {
      const double price = prefix[row.hi] - prefix[row.lo];
      if (price <= 0) continue;
      for (size_t p = 0; p < penalty.size(); ++p) {
        penalty[p] += price * static_cast<double>(row.usage[p]);
      }
    }
  }
}

}  // namespace metadist
