// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/reduce/rules.h"

namespace metadist {

// Strategy p of a node is useless if another strategy g of it needs no more memory on any row and
//   cost[p] - cost[g] + sum over edges of min over allowed partners q of (c[p][q] - c[g][q]) >= 0:
// in any choice p can be replaced by g without paying more ("dead-end elimination", Desmet et al.
// 1992, with memory rows added). q ranges over living partners allowed with p; if g is forbidden
// with one of them, g does not replace p.
// Deletions take effect at once, strategy by strategy, so of several equal ones exactly one stays.
// Complexity: strategies^2 x entries per node. The full test is rare: with q* the cheapest partner
// of p, c[p][q*] - c[g][q*] bounds each minimum from above, and the sum of these is O(1) an edge.

namespace {

struct Side {
  const CostGraph::Edge* edge;
  int partner;
  size_t own_stride;
  size_t partner_stride;
  // Cheapest living partner of each own strategy.
  std::vector<int> cheapest;

  int64_t at(size_t own, size_t partner_index) const {
    return edge->costs[own * own_stride + partner_index * partner_stride];
  }
};

class Dominance {
 public:
  explicit Dominance(const CostGraph& graph) : graph_(graph), incidence_(Incidence(graph)) {
    alive_.resize(graph.nodes.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      alive_[i].assign(graph.nodes[i].costs.size(), 1);
    }
  }

  void Visit(int node) {
    const size_t size = graph_.nodes[node].costs.size();
    if (size < 2) return;
    const std::vector<Side> sides = Sides(node);
    for (size_t p = 0; p < size; ++p) {
      for (size_t g = 0; g < size; ++g) {
        if (g == p || !alive_[node][g] || !Replaces(node, sides, p, g)) continue;
        alive_[node][p] = 0;
        break;
      }
    }
  }

  const std::vector<std::vector<char>>& alive() const { return alive_; }

 private:
  std::vector<Side> Sides(int node) const {
    std::vector<Side> sides;
    for (int id : incidence_[node]) {
      const CostGraph::Edge& edge = graph_.edges[id];
      const size_t stride = graph_.nodes[edge.b].costs.size();
      const bool first = edge.a == node;
      Side side{&edge, first ? edge.b : edge.a, first ? stride : 1, first ? 1 : stride, {}};
      for (size_t p = 0; p < graph_.nodes[node].costs.size(); ++p) {
        int best = -1;
        for (size_t q = 0; q < alive_[side.partner].size(); ++q) {
          if (!alive_[side.partner][q]) continue;
          if (best < 0 || side.at(p, q) < side.at(p, best)) best = static_cast<int>(q);
        }
        side.cheapest.push_back(best);
      }
      sides.push_back(std::move(side));
    }
    return sides;
  }

  bool Replaces(int node, const std::vector<Side>& sides, size_t p, size_t g) const {
    const CostGraph::Node& own = graph_.nodes[node];
    for (const MemoryRow& row : own.rows) {
      if (row.usage[g] > row.usage[p]) return false;
    }
    const int64_t difference = own.costs[p] - own.costs[g];
    int64_t optimistic = difference;
    for (const Side& side : sides) {
      const int q = side.cheapest[p];
      if (IsInfinite(side.at(g, q))) return false;
      optimistic += side.at(p, q) - side.at(g, q);
    }
    if (optimistic < 0) return false;
    int64_t sum = difference;
    for (const Side& side : sides) {
      int64_t least = kInfinite;
      for (size_t q = 0; q < alive_[side.partner].size(); ++q) {
        if (!alive_[side.partner][q]) continue;
        const int64_t with_p = side.at(p, q);
        if (IsInfinite(with_p)) continue;
        const int64_t with_g = side.at(g, q);
        if (IsInfinite(with_g)) return false;
        least = std::min(least, with_p - with_g);
      }
      sum += least;
    }
    return sum >= 0;
  }

  const CostGraph& graph_;
  std::vector<std::vector<int>> incidence_;
  std::vector<std::vector<char>> alive_;
};

}  // namespace

int64_t DropDominated(CostGraph& graph) {
  Dominance work(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) work.Visit(static_cast<int>(i));
  return DropStrategies(graph, work.alive());
}

}  // namespace metadist
