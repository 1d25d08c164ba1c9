// SPDX-License-Identifier: Apache-2.0
#include <compare>

#include "planner/solvers/reduce/rules.h"

namespace metadist {

// Adds up edges between the same two nodes, transposing those in the other direction. Merging nodes
// creates thousands of them. Complexity: linear in the entries, and one sort of the pairs.

namespace {

void Add(const CostGraph& graph, const CostGraph::Edge& from, CostGraph::Edge& to) {
  const size_t rows = graph.nodes[to.a].costs.size();
  const size_t columns = graph.nodes[to.b].costs.size();
  const bool same = to.a == from.a;
  for (size_t p = 0; p < rows; ++p) {
    for (size_t q = 0; q < columns; ++q) {
      int64_t& total = to.costs[p * columns + q];
      total = AddCosts(total, from.costs[same ? p * columns + q : q * rows + p]);
    }
  }
  to.finite = to.finite && from.finite;
}

}  // namespace

int64_t AddParallelEdges(CostGraph& graph) {
  struct Ends {
    int low;
    int high;
    int edge;
    auto operator<=>(const Ends&) const = default;
  };
  std::vector<Ends> order;
  order.reserve(graph.edges.size());
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const auto [low, high] = std::minmax(graph.edges[e].a, graph.edges[e].b);
    order.push_back({low, high, static_cast<int>(e)});
  }
  std::ranges::sort(order);
  int64_t added = 0;
  for (size_t k = 0, first = 0; k < order.size(); ++k) {
    if (order[k].low != order[first].low || order[k].high != order[first].high) first = k;
    if (k == first) continue;
    Add(graph, graph.edges[order[k].edge], graph.edges[order[first].edge]);
    graph.edges[order[k].edge].costs.clear();
    graph.changed[order[k].low] = 1;
    graph.changed[order[k].high] = 1;
    ++added;
  }
  if (added == 0) return 0;
  std::erase_if(graph.edges, [](const CostGraph::Edge& edge) { return edge.costs.empty(); });
  return added;
}

}  // namespace metadist
