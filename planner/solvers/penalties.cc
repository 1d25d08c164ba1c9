// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/penalties.h"

namespace metadist {

void PricePenalties(const Reduced& reduced,
                    const std::vector<double>& prices,
                    std::vector<std::vector<double>>& penalties) {
  std::vector<double> prefix(prices.size() + 1, 0);
  for (size_t t = 0; t < prices.size(); ++t) prefix[t + 1] = prefix[t] + prices[t];
  penalties.resize(reduced.count());
  for (int i = 0; i < reduced.count(); ++i) {
    std::vector<double>& penalty = penalties[i];
    penalty.assign(reduced.size(i), 0);
    for (const MemoryRow& row : reduced.rows[i]) {
      const double price = prefix[row.hi] - prefix[row.lo];
      if (price <= 0) continue;
      for (size_t p = 0; p < penalty.size(); ++p) {
        penalty[p] += price * static_cast<double>(row.usage[p]);
      }
    }
  }
}

}  // namespace metadist
