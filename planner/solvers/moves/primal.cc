// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/primal.h"

#include <cmath>

namespace metadist {

Choice LeastMemoryChoice(const Reduced& reduced) {
  Choice out(reduced.count(), 0);
  for (int i = 0; i < reduced.count(); ++i) {
    double least = 0;
    for (int p = 0; p < reduced.size(i); ++p) {
      double area = 0;
      for (const RowTable::Row& row : reduced.rows[i]) {
        area += static_cast<double>(row.usage[p]) * static_cast<double>(row.hi - row.lo);
      }
      const bool cheaper = reduced.costs[i][p] < reduced.costs[i][out[i]];
      if (p == 0 || area < least || (area == least && cheaper)) {
        least = area;
        out[i] = p;
      }
    }
  }
  return out;
}

Primal::Primal(const Reduced& reduced, const Dual& tables)
    : reduced_(reduced),
      tables_(tables),
      conditional_(reduced, tables),
      relief_(reduced, tables, conditional_) {
  double magnitude = 0;
  for (int i = 0; i < reduced.count(); ++i) {
    rows_ += static_cast<int64_t>(reduced.rows[i].size());
    magnitude += LargestFiniteEntry(reduced.costs[i]);
  }
  resolution_ = std::max(resolution_, std::ldexp(magnitude, -50));
}

}  // namespace metadist
