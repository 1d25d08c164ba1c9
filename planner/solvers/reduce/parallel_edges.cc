// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "planner/solvers/reduce/rules.h"

namespace metadist {

// Edges between the same two nodes add up, transposed where they run the other way. Merging nodes
// creates them by the thousand. Complexity: linear in the entries, one ordered map of pairs.
int64_t AddParallelEdges(CostGraph& graph) {
  std::map<std::pair<int, int>, size_t> first;
  size_t kept = 0;
  const size_t before = graph.edges.size();
  for (size_t e = 0; e < before; ++e) {
    CostGraph::Edge& edge = graph.edges[e];
    const auto [entry, fresh] = first.try_emplace(std::minmax(edge.a, edge.b), kept);
    if (fresh) {
      if (kept != e) graph.edges[kept] = std::move(edge);
      ++kept;
      continue;
    }
    CostGraph::Edge& sum = graph.edges[entry->second];
    const size_t rows = graph.nodes[sum.a].costs.size();
    const size_t columns = graph.nodes[sum.b].costs.size();
    const bool same = sum.a == edge.a;
    for (size_t p = 0; p < rows; ++p) {
      for (size_t q = 0; q < columns; ++q) {
        int64_t& total = sum.costs[p * columns + q];
        total = AddCosts(total, edge.costs[same ? p * columns + q : q * rows + p]);
      }
    }
  }
  graph.edges.resize(kept);
  return static_cast<int64_t>(before - kept);
}

}  // namespace metadist
