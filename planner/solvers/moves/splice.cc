// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/splice.h"

#include "planner/solvers/bounds/memory_profile.h"

namespace metadist {

// Models repeat: at any price all equal layers take the same strategies, so the priced optimum
// jumps from far below the limit to far above it, and no price gives the mixture that just fits
// ("some layers sharded, the others not"). Single moves do not reach it either, since a layer
// changes as a whole. A mixture is cheap where few edges connect the two choices, and balls of the
// graph have small borders: on a chain of layers a ball is a run of layers with their weights. So
// nodes are switched one by one in breadth-first order from a random start while memory and cost
// are updated, and the best prefix that fits is the answer.

std::optional<Choice> Splice(const Reduced& reduced,
                             const Jagged<Link>& links,
                             const Choice& from,
                             const Choice& to,
                             Random& random) {
  const std::vector<int> order = BreadthFirstOrder(links, /*shuffled=*/false, random);
  MemoryProfile profile(reduced, from);
  Choice current = from;
  // Infinite entries are added and removed on the way, so the cost is kept as the sum of the finite
  // entries and a count of the forbidden ones.
  int64_t cost = 0;
  int64_t forbidden = 0;
  auto add = [&](int64_t entry, int sign) {
    if (IsInfinite(entry)) {
      forbidden += sign;
    } else {
      cost += sign * entry;
    }
  };
  auto add_node = [&](int node, int sign) {
    const int p = current[node];
    add(reduced.costs[node][p], sign);
    for (const Link& link : links[node]) {
      const std::vector<int64_t>& costs = reduced.edges[link.edge].costs;
      const int q = current[link.other];
      add(link.first ? costs[static_cast<size_t>(p) * reduced.size(link.other) + q]
                     : costs[static_cast<size_t>(q) * reduced.size(node) + p],
          sign);
    }
  };
  std::optional<size_t> best;
  int64_t best_cost = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    const int node = order[k];
    if (from[node] != to[node]) {
      add_node(node, -1);
      profile.Move(node, from[node], to[node]);
      current[node] = to[node];
      add_node(node, 1);
    }
    if (forbidden > 0 || !profile.fits() || (best && cost >= best_cost)) continue;
    best = k;
    best_cost = cost;
  }
  if (!best) return std::nullopt;
  Choice out = from;
  for (size_t k = 0; k <= *best; ++k) out[order[k]] = to[order[k]];
  return out;
}

}  // namespace metadist
