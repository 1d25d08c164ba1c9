// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/chains.h"

#include <algorithm>
#include <cmath>

namespace metadist {

// Problem: in which direction prices raise the bound. The usage of a choice rounded from the
// messages is a guess only: such a choice does not attain the bound, and where its usage points the
// bound may fall.
//
// The bound of TRW-S is a sum over chains, each from node to later node along edges, every edge in
// one chain. A node lies in max(#earlier, #later neighbours, 1) of them, and each has an equal
// share of its costs and penalties. So the minimiser of the sum is a minimiser per chain: from its
// first node on, the strategy that is best towards what the messages say of the nodes ahead, given
// the strategy before. The bound is linear in the penalties as long as these minimisers stay, so
// their usage, averaged over the chains of each node, less the limit is a supergradient.
//
// Source: Kolmogorov, Convergent tree-reweighted message passing, PAMI 2006, sections 3 and 5 (the
// chains); Komodakis, Paragios, Tziritas, MRF energy minimization and beyond via dual
// decomposition, PAMI 2011 (their minimisers as subgradients).

std::vector<int64_t> ChainUsage(const Reduced& reduced, const Dual& dual) {
  // Of the chain that comes over a link: the edge's entries beside its last strategy. Pushed ahead
  // from the earlier end, so that tables are read in the order in which they lie.
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
    // Chains that begin here.
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
