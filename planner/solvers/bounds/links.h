// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// An edge of a reduced problem seen from one of its ends.
struct Link {
  int edge = 0;
  int other = 0;
  // True at end a.
  bool first = false;
};

// Per node, its edges in the problem's order.
Jagged<Link> MakeLinks(const Reduced& reduced);

// Appends `start` and the nodes connected to it, breadth first, until `order` has `most` nodes or
// more. shuffle: puts the neighbours of each node in random order, if given. seen: the nodes of
// `order`.
void AppendBreadthFirst(const Jagged<Link>& links,
                        int start,
                        size_t most,
                        Random* shuffle,
                        std::vector<char>& seen,
                        std::vector<int>& order);

// All nodes: breadth first from a random one, then likewise from the next that is left.
std::vector<int> BreadthFirstOrder(const Jagged<Link>& links, bool shuffled, Random& random);

// Adds the link's entries for a strategy of the other end to the costs of the strategies of its
// own.
inline void AddLinkCosts(const Reduced& reduced,
                         const Link& link,
                         size_t strategy,
                         std::span<int64_t> costs) {
  const std::vector<int64_t>& edge = reduced.edges[link.edge].costs;
  const size_t stride = link.first ? reduced.size(link.other) : 1;
  const size_t start = link.first ? strategy : strategy * costs.size();
  for (size_t p = 0; p < costs.size(); ++p) costs[p] = AddCosts(costs[p], edge[start + p * stride]);
}

// Cost of each strategy of `node` with all others at `choice` (kInfinite if forbidden).
std::vector<int64_t> ConditionalCosts(const Reduced& reduced,
                                      const Jagged<Link>& links,
                                      int node,
                                      const Choice& choice);

// Node and edge costs of a choice plus the constant; kInfinite if a forbidden entry is taken.
int64_t ReducedCost(const Reduced& reduced, const Choice& choice);

}  // namespace metadist
