// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/chains.h"

#include <algorithm>
#include <cmath>

namespace metadist {

// Problem: a direction in which changing the prices raises the bound. The usage of a choice rounded
// from the messages is only a guess: such a choice does not attain the bound, and the bound may
// fall in the direction of its usage.
//
// The bound of TRW-S is a sum over chains; each leads along edges from earlier to later nodes, and
// every edge is in one chain. A node is in max(#earlier neighbours, #later neighbours, 1) of them,
// and each gets an equal share of its costs and penalties. The sum is therefore minimised by one
// minimiser per chain: starting at its first node, the strategy that is best given the strategy
// before it and the messages of the nodes ahead. As long as these minimisers stay the same, the
// bound is linear in the penalties; their usage, averaged over the chains of each node, minus the
// limit is therefore a supergradient.
//
// Source: Kolmogorov, Convergent tree-reweighted message passing, PAMI 2006, sections 3 and 5
// (chains); Komodakis, Paragios, Tziritas, MRF energy minimization and beyond via dual
// decomposition, PAMI 2011 (minimisers as subgradients).

std::vector<int64_t> ChainUsage(const Reduced& reduced, const Dual& dual) {
  // For the chain that arrives over a link: the edge's entries for the chain's last strategy. They
  // are copied from the earlier end, so that tables are read in storage order.
  std::vector<double> entries(dual.messages().size());
  std::vector<double> share;
  std::vector<int> strategies;
  std::vector<double> change(reduced.base.size() + 1, 0);
  for (int i = 0; i < reduced.count(); ++i) {
    dual.ShareOf(i, share);
    const int best = static_cast<int>(std::min_element(share.begin(), share.end()) - share.begin());
    strategies.clear();
    size_t ahead = 0;
    for (const Dual::Hop& hop : dual.hops(i)) {
      if (hop.other > i) {
        ++ahead;
        continue;
      }
      const double* message = &dual.messages()[hop.in];
      const double* row = &entries[hop.in];
      int chosen = 0;
      double least = share[0] - message[0] + row[0];
      for (size_t p = 1; p < share.size(); ++p) {
        const double value = share[p] - message[p] + row[p];
        if (value >= least) continue;
        least = value;
        chosen = static_cast<int>(p);
      }
      strategies.push_back(chosen);
    }
    // The remaining chains begin at this node.
    strategies.resize(std::max({strategies.size(), ahead, size_t{1}}), best);
    size_t next = 0;
    for (const Dual::Hop& hop : dual.hops(i)) {
      if (hop.other < i) continue;
      const size_t columns = reduced.size(hop.other);
      std::copy_n(dual.rows(hop) + strategies[next++] * columns, columns, &entries[hop.out]);
    }
    for (const RowTable::Row& row : reduced.rows[i]) {
      double usage = 0;
      for (int p : strategies) usage += static_cast<double>(row.usage[p]);
      usage /= static_cast<double>(strategies.size());
      change[row.lo] += usage;
      change[row.hi] -= usage;
    }
  }
  std::vector<int64_t> usage(reduced.base.size());
  double sum = 0;
  for (size_t t = 0; t < usage.size(); ++t) {
    sum += change[t];
    usage[t] = reduced.base[t] + std::llround(sum);
  }
  return usage;
}

}  // namespace metadist
