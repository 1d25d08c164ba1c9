// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "planner/solvers/reduce/rules.h"

namespace metadist {

// A strategy is in no feasible choice if it is forbidden itself, or if all its pairs with the
// remaining strategies of some neighbour are forbidden. Deleting it may leave other strategies
// without an allowed partner, so the edges next to a changed node are scanned again (AC-3,
// Mackworth 1977). Both ends of an edge are revised in one scan of its matrix. Edges without a
// forbidden entry delete nothing and are scanned at most once. Complexity: entries x largest number
// of strategies at worst, about two scans in practice. All deletions are applied at once, at the
// end.

namespace {

class Propagation {
 public:
  explicit Propagation(CostGraph& graph)
      : graph_(graph), alive_(graph.nodes.size()), queued_(graph.edges.size(), 0) {}

  int64_t Run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::vector<int64_t>& costs = graph_.nodes[i].costs;
      for (size_t p = 0; p < costs.size(); ++p) {
        if (IsInfinite(costs[p])) Kill(p, costs.size(), alive_[i]);
      }
    }
    for (size_t e = 0; e < graph_.edges.size(); ++e) {
      CostGraph::Edge& edge = graph_.edges[e];
      if (!edge.finite) {
        edge.finite = std::none_of(edge.costs.begin(), edge.costs.end(), IsInfinite);
      }
      if (!edge.finite) Queue(static_cast<int>(e));
    }
    edges_ = Jagged<int>::Grouped(graph_.nodes.size(), [this](auto add) {
      for (int e : queue_) {
        add(graph_.edges[e].a, e);
        add(graph_.edges[e].b, e);
      }
    });
    while (!queue_.empty()) {
      const int edge = queue_.front();
      queue_.pop_front();
      queued_[edge] = 0;
      Scan(graph_.edges[edge]);
    }
    return DropStrategies(graph_, alive_);
  }

 private:
  void Queue(int edge) {
    if (queued_[edge]) return;
    queued_[edge] = 1;
    queue_.push_back(edge);
  }

  void Revise(int node, const std::vector<char>& supported) {
    bool changed = false;
    for (size_t p = 0; p < supported.size(); ++p) {
      if (supported[p] || !IsAlive(alive_[node], p)) continue;
      Kill(p, supported.size(), alive_[node]);
      changed = true;
    }
    if (!changed) return;
    for (int edge : edges_[node]) Queue(edge);
  }

  void Scan(const CostGraph::Edge& edge) {
    const size_t rows = graph_.nodes[edge.a].costs.size();
    const size_t columns = graph_.nodes[edge.b].costs.size();
    supported_a_.assign(rows, 0);
    supported_b_.assign(columns, 0);
    for (size_t p = 0; p < rows; ++p) {
      if (!IsAlive(alive_[edge.a], p)) continue;
      const int64_t* row = &edge.costs[p * columns];
      for (size_t q = 0; q < columns; ++q) {
        if (IsInfinite(row[q]) || !IsAlive(alive_[edge.b], q)) continue;
        supported_a_[p] = 1;
        supported_b_[q] = 1;
      }
    }
    Revise(edge.a, supported_a_);
    Revise(edge.b, supported_b_);
  }

  CostGraph& graph_;
  // Empty: all strategies remain.
  std::vector<std::vector<char>> alive_;
  // Edges with forbidden entries by node.
  Jagged<int> edges_;
  std::deque<int> queue_;
  std::vector<char> queued_;
  std::vector<char> supported_a_;
  std::vector<char> supported_b_;
};

}  // namespace

int64_t EnforceArcConsistency(CostGraph& graph) { return Propagation(graph).Run(); }

}  // namespace metadist
