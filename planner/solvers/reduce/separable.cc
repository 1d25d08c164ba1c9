// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/rules.h"

namespace metadist {

// An edge with c[p][q] = f[p] + g[q] for all pairs does not couple its ends and is equivalent to
// two node costs: f = first column, g = first row minus the corner. Real problems have many such
// edges (a redistribution that costs nothing, or the same for all partners), and other rules create
// more. Only all-finite edges qualify; an edge with a one-strategy end becomes a node cost whatever
// its entries. Complexity: linear in the entries; most edges fail within a few.

namespace {

bool Separable(const CostGraph::Edge& edge, size_t rows, size_t columns) {
  for (size_t p = 0; p < rows; ++p) {
    const int64_t* row = &edge.costs[p * columns];
    if (IsInfinite(row[0])) return false;
    const int64_t shift = row[0] - edge.costs[0];
    for (size_t q = 0; q < columns; ++q) {
      if (IsInfinite(row[q]) || row[q] - edge.costs[q] != shift) return false;
    }
  }
  return true;
}

}  // namespace

int64_t FoldSeparableEdges(CostGraph& graph) {
  const auto folds = [&graph](const CostGraph::Edge& edge) {
    std::vector<int64_t>& a = graph.nodes[edge.a].costs;
    std::vector<int64_t>& b = graph.nodes[edge.b].costs;
    const size_t columns = b.size();
    if (a.size() == 1) {
      for (size_t q = 0; q < columns; ++q) b[q] = AddCosts(b[q], edge.costs[q]);
    } else if (b.size() == 1) {
      for (size_t p = 0; p < a.size(); ++p) a[p] = AddCosts(a[p], edge.costs[p]);
    } else if (Separable(edge, a.size(), columns)) {
      for (size_t p = 0; p < a.size(); ++p) a[p] = AddCosts(a[p], edge.costs[p * columns]);
      for (size_t q = 0; q < columns; ++q) b[q] = AddCosts(b[q], edge.costs[q] - edge.costs[0]);
    } else {
      return false;
    }
    graph.changed[edge.a] = 1;
    graph.changed[edge.b] = 1;
    return true;
  };
  return static_cast<int64_t>(std::erase_if(graph.edges, folds));
}

}  // namespace metadist
