// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/links.h"

namespace metadist {

std::vector<std::vector<Link>> MakeLinks(const Reduced& reduced) {
  std::vector<std::vector<Link>> links(reduced.count());
  for (size_t e = 0; e < reduced.edges.size(); ++e) {
    const Reduced::Edge& edge = reduced.edges[e];
    links[edge.a].push_back({static_cast<int>(e), edge.b, true});
    links[edge.b].push_back({static_cast<int>(e), edge.a, false});
  }
  return links;
}

std::vector<int64_t> ConditionalCosts(const Reduced& reduced,
                                      const std::vector<std::vector<Link>>& links,
                                      int node,
                                      const Choice& choice) {
  const std::span<const int64_t> own = reduced.costs[node];
  std::vector<int64_t> out(own.begin(), own.end());
  for (const Link& link : links[node]) {
    const std::vector<int64_t>& costs = reduced.edges[link.edge].costs;
    const size_t stride = link.first ? reduced.size(link.other) : 1;
    const size_t start =
        link.first ? choice[link.other] : choice[link.other] * static_cast<size_t>(out.size());
    for (size_t p = 0; p < out.size(); ++p) {
      out[p] = AddCosts(out[p], costs[start + p * stride]);
    }
  }
  return out;
}

int64_t ReducedCost(const Reduced& reduced, const Choice& choice) {
  int64_t cost = reduced.constant;
  for (int i = 0; i < reduced.count(); ++i) cost = AddCosts(cost, reduced.costs[i][choice[i]]);
  for (const Reduced::Edge& edge : reduced.edges) {
    const size_t stride = reduced.size(edge.b);
    cost = AddCosts(cost, edge.costs[choice[edge.a] * stride + choice[edge.b]]);
  }
  return cost;
}

}  // namespace metadist
