// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/links.h"

namespace metadist {

Jagged<Link> MakeLinks(const Reduced& reduced) {
  return Jagged<Link>::Grouped(reduced.count(), [&reduced](auto add) {
    for (size_t e = 0; e < reduced.edges.size(); ++e) {
      const Reduced::Edge& edge = reduced.edges[e];
      add(edge.a, {static_cast<int>(e), edge.b, true});
      add(edge.b, {static_cast<int>(e), edge.a, false});
    }
  });
}

void AppendBreadthFirst(const Jagged<Link>& links,
                        int start,
                        size_t most,
                        Random* shuffle,
                        std::vector<char>& seen,
                        std::vector<int>& order) {
  seen[start] = 1;
  size_t head = order.size();
  order.push_back(start);
  for (; head < order.size() && order.size() < most; ++head) {
    const size_t first = order.size();
    for (const Link& link : links[order[head]]) {
      if (seen[link.other]) continue;
      seen[link.other] = 1;
      order.push_back(link.other);
    }
    if (shuffle) shuffle->Shuffle(std::span(order).subspan(first));
  }
}

std::vector<int> BreadthFirstOrder(const Jagged<Link>& links, bool shuffled, Random& random) {
  const size_t count = links.size();
  std::vector<char> seen(count, 0);
  std::vector<int> order;
  order.reserve(count);
  const int start = random.Below(static_cast<int64_t>(count));
  for (size_t k = 0; k < count; ++k) {
    const int root = static_cast<int>((start + k) % count);
    if (seen[root]) continue;
    AppendBreadthFirst(links, root, count, shuffled ? &random : nullptr, seen, order);
  }
  return order;
}

std::vector<int64_t> ConditionalCosts(const Reduced& reduced,
                                      const Jagged<Link>& links,
                                      int node,
                                      const Choice& choice) {
  const std::span<const int64_t> own = reduced.costs[node];
  std::vector<int64_t> out(own.begin(), own.end());
  for (const Link& link : links[node]) {
    AddLinkCosts(reduced, link, choice[link.other], out);
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
