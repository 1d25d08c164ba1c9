// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <utility>

#include "planner/solvers/reduce/minimized_node.h"
#include "planner/solvers/reduce/rules.h"

namespace metadist {

// A node without memory rows affects only its neighbours, so with at most two of them it can be
// minimised out: without neighbours its least cost is a constant, with one it becomes node costs of
// that neighbour, with two an edge between them. A table keeps the minimising strategies for
// mapping back (first steps of non-serial dynamic programming, Bertele and Brioschi 1972). A node
// with two neighbours is eliminated only if the new matrix has at most kGrowth times the entries it
// replaces, or is added to an existing edge: the step must not make the remaining problem harder.
// Nodes with memory rows cannot be eliminated, because their strategy also affects the limit.
// Complexity per step: product of the numbers of strategies of the three nodes (minimized_node.h).

namespace {

constexpr size_t kGrowth = 2;

class LowDegree {
 public:
  explicit LowDegree(CostGraph& graph)
      : graph_(graph), old_(EdgesByNode(graph)), degree_(graph.nodes.size(), 0) {
    for (const CostGraph::Edge& edge : graph.edges) {
      ++degree_[edge.a];
      ++degree_[edge.b];
    }
    for (size_t i = 0; i < graph.nodes.size(); ++i) Consider(static_cast<int>(i));
  }

  int64_t Run() {
    if (pending_.empty()) return 0;
    int64_t steps = 0;
    while (!pending_.empty()) {
      const int node = *pending_.begin();
      pending_.erase(pending_.begin());
      if (Step(node)) ++steps;
    }
    std::erase_if(graph_.edges, IsTaken);
    return steps;
  }

 private:
  // An edge seen from the node to remove.
  struct Side {
    int partner = -1;
    size_t size = 1;
    std::vector<int64_t> costs;  // [own][partner], empty if absent
  };

  // A taken edge has no entries left.
  static bool IsTaken(const CostGraph::Edge& edge) { return edge.costs.empty(); }

  Side Take(int node, int edge_id) {
    CostGraph::Edge& edge = graph_.edges[edge_id];
    Side side;
    side.partner = edge.other(node);
    side.size = graph_.nodes[side.partner].costs.size();
    side.costs = std::exchange(edge.costs, {});
    if (edge.b == node) {
      const std::vector<int64_t> from = side.costs;
      const size_t own = graph_.nodes[node].costs.size();
      for (size_t q = 0; q < side.size; ++q) {
        for (size_t p = 0; p < own; ++p) side.costs[p * side.size + q] = from[q * own + p];
      }
    }
    --degree_[node];
    --degree_[side.partner];
    graph_.changed[side.partner] = 1;
    return side;
  }

  // Nodes with one strategy are not decisions and are left to the other rules.
  void Consider(int node) {
    const CostGraph::Node& own = graph_.nodes[node];
    if (own.costs.size() > 1 && own.rows.empty() && degree_[node] <= 2) pending_.insert(node);
  }

  // The remaining edges of a node.
  std::vector<int> Edges(int node) const {
    std::vector<int> out(old_[node].begin(), old_[node].end());
    const auto fresh = fresh_.find(node);
    if (fresh != fresh_.end()) out.insert(out.end(), fresh->second.begin(), fresh->second.end());
    std::erase_if(out, [this](int edge) { return IsTaken(graph_.edges[edge]); });
    return out;
  }

  int EdgeBetween(int a, int b) const {
    if (degree_[a] > degree_[b]) std::swap(a, b);
    for (int edge : Edges(a)) {
      if (graph_.edges[edge].other(a) == b) return edge;
    }
    return -1;
  }

  bool Allowed(int node) const {
    const CostGraph::Node& own = graph_.nodes[node];
    if (own.costs.size() < 2 || degree_[node] > 2) return false;
    if (degree_[node] < 2) return true;
    const std::vector<int> edges = Edges(node);
    const int a = graph_.edges[edges.front()].other(node);
    const int b = graph_.edges[edges.back()].other(node);
    const size_t size_a = graph_.nodes[a].costs.size();
    const size_t size_b = graph_.nodes[b].costs.size();
    return size_a * size_b <= kGrowth * own.costs.size() * (size_a + size_b) ||
           EdgeBetween(a, b) >= 0;
  }

  bool Step(int node) {
    if (!Allowed(node)) return false;
    const std::vector<int> edges = Edges(node);
    Side a = edges.empty() ? Side{} : Take(node, edges[0]);
    Side b = edges.size() < 2 ? Side{} : Take(node, edges[1]);
    const std::vector<int64_t> costs = std::move(graph_.nodes[node].costs);
    graph_.nodes[node] = {};
    CostGraph::Elimination step{node, a.partner, b.partner, {}};
    const size_t columns = b.partner < 0 ? 1 : graph_.original_size[b.partner];
    const size_t rows = a.partner < 0 ? 1 : graph_.original_size[a.partner];
    step.best.assign(rows * columns, 0);
    const MinimizedNode& left = minimizer_.Run(costs, {a.costs, a.size}, {b.costs, b.size});
    for (size_t x = 0; x < a.size; ++x) {
      for (size_t y = 0; y < b.size; ++y) {
        const size_t row = a.partner < 0 ? 0 : graph_.strategy_of[a.partner][x];
        const size_t column = b.partner < 0 ? 0 : graph_.strategy_of[b.partner][y];
        step.best[row * columns + column] = left.best[x * b.size + y];
      }
    }
    graph_.eliminations.push_back(std::move(step));
    Place(a, b, left.least);
    return true;
  }

  void Place(const Side& a, const Side& b, const std::vector<int64_t>& least) {
    if (a.partner < 0) {
      if (IsInfinite(least[0])) {
        graph_.infeasible = true;
      } else {
        graph_.constant += least[0];
      }
      return;
    }
    if (b.partner < 0) {
      std::vector<int64_t>& costs = graph_.nodes[a.partner].costs;
      for (size_t x = 0; x < a.size; ++x) costs[x] = AddCosts(costs[x], least[x]);
      Consider(a.partner);
      return;
    }
    const int id = EdgeBetween(a.partner, b.partner);
    if (id < 0) {
      const int fresh = static_cast<int>(graph_.edges.size());
      graph_.edges.push_back({a.partner, b.partner, least, false});
      for (int end : {a.partner, b.partner}) {
        fresh_[end].push_back(fresh);
        ++degree_[end];
      }
    } else {
      Join(a, b, least, graph_.edges[id]);
    }
    Consider(a.partner);
    Consider(b.partner);
  }

  static void Join(const Side& a,
                   const Side& b,
                   const std::vector<int64_t>& least,
                   CostGraph::Edge& edge) {
    edge.finite = false;
    for (size_t x = 0; x < a.size; ++x) {
      for (size_t y = 0; y < b.size; ++y) {
        int64_t& cost = edge.costs[edge.a == a.partner ? x * b.size + y : y * a.size + x];
        cost = AddCosts(cost, least[x * b.size + y]);
      }
    }
  }

  CostGraph& graph_;
  // Edges per node at the start, and those added since.
  const Jagged<int> old_;
  std::map<int, std::vector<int>> fresh_;
  // Number of remaining edges per node.
  std::vector<int> degree_;
  std::set<int> pending_;
  NodeMinimizer minimizer_;
};

}  // namespace

int64_t EliminateLowDegree(CostGraph& graph) { return LowDegree(graph).Run(); }

}  // namespace metadist
