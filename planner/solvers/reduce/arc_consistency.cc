// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "planner/solvers/reduce/rules.h"

namespace metadist {

// A strategy that is itself forbidden, or that has only forbidden pairs with the living strategies
// of some neighbour, is in no feasible choice. Dropping it may leave others without partner, so
// edges next to a changed node are looked at again (AC-3, Mackworth 1977). Both ends of an edge are
// revised in one scan of its matrix. Complexity: entries x largest number of strategies at worst,
// about two scans in practice. All deletions are applied once, at the end.

namespace {

struct Propagation {
  const CostGraph& graph;
  std::vector<std::vector<int>> incidence;
  std::vector<std::vector<char>> alive;
  std::deque<int> queue;
  std::vector<char> queued;

  void Revise(int node, const std::vector<char>& supported) {
    bool changed = false;
    for (size_t p = 0; p < supported.size(); ++p) {
      if (!alive[node][p] || supported[p]) continue;
      alive[node][p] = 0;
      changed = true;
    }
    if (!changed) return;
    for (int edge : incidence[node]) {
      if (queued[edge]) continue;
      queued[edge] = 1;
      queue.push_back(edge);
    }
  }

  void Scan(const CostGraph::Edge& edge) {
    const std::vector<char>& alive_a = alive[edge.a];
    const std::vector<char>& alive_b = alive[edge.b];
    std::vector<char> supported_a(alive_a.size(), 0);
    std::vector<char> supported_b(alive_b.size(), 0);
    for (size_t p = 0; p < alive_a.size(); ++p) {
      if (!alive_a[p]) continue;
      const int64_t* row = &edge.costs[p * alive_b.size()];
      for (size_t q = 0; q < alive_b.size(); ++q) {
        if (!alive_b[q] || IsInfinite(row[q])) continue;
        supported_a[p] = 1;
        supported_b[q] = 1;
      }
    }
    Revise(edge.a, supported_a);
    Revise(edge.b, supported_b);
  }
};

}  // namespace

int64_t EnforceArcConsistency(CostGraph& graph) {
  Propagation work{graph, Incidence(graph), {}, {}, {}};
  work.alive.resize(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (int64_t cost : graph.nodes[i].costs) work.alive[i].push_back(!IsInfinite(cost));
  }
  work.queued.assign(graph.edges.size(), 1);
  for (size_t e = 0; e < graph.edges.size(); ++e) work.queue.push_back(static_cast<int>(e));
  while (!work.queue.empty()) {
    const int edge = work.queue.front();
    work.queue.pop_front();
    work.queued[edge] = 0;
    work.Scan(graph.edges[edge]);
  }
  return DropStrategies(graph, work.alive);
}

}  // namespace metadist
