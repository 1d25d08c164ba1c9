// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "planner/solvers/reduce/rules.h"

namespace metadist {

// Strategy p of a node can be deleted if another strategy g needs no more memory in any row and
//  cost[p] - cost[g] + sum over edges of min over allowed partners q of (c[p][q] - c[g][q]) >= 0:
// in any choice, replacing p by g does not increase the cost ("dead-end elimination", Desmet et al.
// 1992, extended by memory rows). q ranges over the remaining partners allowed with p; if g is
// forbidden with one of them, g does not replace p. Deletions take effect immediately, strategy by
// strategy, so exactly one of several equal strategies stays. Complexity: strategies^2 x entries
// per node. The full test is rarely needed: with q* the cheapest partner of p, c[p][q*] - c[g][q*]
// is an upper bound of each minimum, and their sum takes O(1) per edge. Only nodes with a change
// since their last visit are examined.

namespace {

struct Side {
  const CostGraph::Edge* edge;
  int partner;
  // Number of strategies of the partner.
  size_t partners;
  size_t own_stride;
  size_t partner_stride;

  int64_t at(size_t own, size_t partner_index) const {
    return edge->costs[own * own_stride + partner_index * partner_stride];
  }
};

class Dominance {
 public:
  explicit Dominance(CostGraph& graph)
      : graph_(graph), edges_(EdgesByNode(graph)), alive_(graph.nodes.size()) {}

  int64_t Run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (std::exchange(graph_.changed[i], 0)) Visit(static_cast<int>(i));
    }
    return DropStrategies(graph_, alive_);
  }

 private:
  void Visit(int node) {
    const size_t size = graph_.nodes[node].costs.size();
    if (size < 2) return;
    MakeSides(node);
    for (size_t p = 0; p < size; ++p) {
      for (size_t g = 0; g < size; ++g) {
        if (g == p || !IsAlive(alive_[node], g) || !Replaces(node, p, g)) continue;
        Kill(p, size, alive_[node]);
        const std::vector<int>& names = graph_.strategy_of[node];
        graph_.replacements.push_back({node, names[p], names[g]});
        break;
      }
    }
  }

  void MakeSides(int node) {
    const size_t size = graph_.nodes[node].costs.size();
    sides_.clear();
    cheapest_.clear();
    for (int id : edges_[node]) {
      const CostGraph::Edge& edge = graph_.edges[id];
      const size_t stride = graph_.nodes[edge.b].costs.size();
      const bool first = edge.a == node;
      const int partner = edge.other(node);
      const size_t partners = graph_.nodes[partner].costs.size();
      const Side side{&edge, partner, partners, first ? stride : 1, first ? 1 : stride};
      for (size_t p = 0; p < size; ++p) {
        int best = -1;
        for (size_t q = 0; q < partners; ++q) {
          if (!IsAlive(alive_[partner], q)) continue;
          if (best < 0 || side.at(p, q) < side.at(p, best)) best = static_cast<int>(q);
        }
        cheapest_.push_back(best);
      }
      sides_.push_back(side);
    }
  }

  bool Replaces(int node, size_t p, size_t g) const {
    const CostGraph::Node& own = graph_.nodes[node];
    for (const MemoryRow& row : own.rows) {
      if (row.usage[g] > row.usage[p]) return false;
    }
    const int64_t difference = own.costs[p] - own.costs[g];
    int64_t optimistic = difference;
    for (size_t k = 0; k < sides_.size(); ++k) {
      const Side& side = sides_[k];
      const int q = cheapest_[k * own.costs.size() + p];
      if (IsInfinite(side.at(g, q))) return false;
      optimistic += side.at(p, q) - side.at(g, q);
    }
    if (optimistic < 0) return false;
    int64_t sum = difference;
    for (const Side& side : sides_) {
      int64_t least = kInfinite;
      for (size_t q = 0; q < side.partners; ++q) {
        if (!IsAlive(alive_[side.partner], q)) continue;
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

  CostGraph& graph_;
  const Jagged<int> edges_;
  // Empty: all strategies remain.
  std::vector<std::vector<char>> alive_;
  // Edges of the visited node, and for each edge and each own strategy the cheapest remaining
  // strategy of the partner.
  std::vector<Side> sides_;
  std::vector<int> cheapest_;
};

}  // namespace

int64_t DropDominated(CostGraph& graph) { return Dominance(graph).Run(); }

}  // namespace metadist
