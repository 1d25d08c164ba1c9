// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "planner/solvers/bounds/links.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Lower bounds of a reduced problem whose memory limit is priced: sequential tree-reweighted
// message passing (TRW-S) over costs plus prices x usage. Prices are >= 0, in cost per unit of
// usage, one per kept time. Cost per sweep: linear in the edge entries.
class Dual {
 public:
  // `reduced` must outlive the object; all prices 0.
  explicit Dual(const Reduced& reduced);
  // The same problem, sharing the edge entries of `tables`, which may be swept concurrently;
  // messages and prices are 0.
  Dual(const Reduced& reduced, const Dual& tables);

  void SetPrices(std::vector<double> prices);
  const std::vector<double>& prices() const { return prices_; }

  // One sweep in node order and one back. Returns the bound at the current prices, constants
  // included, up to rounding errors of doubles. At fixed prices it never falls, apart from
  // rounding.
  double Sweep();
  // A choice made in node order: with earlier neighbours as chosen, later ones represented by their
  // messages.
  Choice Round() const;
  // Per node and strategy, after a Sweep: a lower bound of the rise of the bound if the strategy is
  // forced.
  std::vector<std::vector<double>> MinMarginals();
  // A lower bound of the cost of feasible choices in exact integer arithmetic, valid whatever the
  // rounding errors of messages and prices (decomposition.h). Call after Sweep.
  int64_t SafeBound() const;
  // Copies messages from `before`, of which this problem is a reduction, for edges between the same
  // nodes, so that the bound starts near the previous one. `dual` belongs to `before`; messages:
  // some of its messages, empty for its current ones.
  void Inherit(const Reduced& before, const Dual& dual, const std::vector<double>& messages);

  const Jagged<Link>& links() const { return links_; }
  // The messages to each end of an edge, one number per strategy.
  const double* to_a(int edge) const { return &messages_[tables_->edges[edge].to_a]; }
  const double* to_b(int edge) const { return &messages_[tables_->edges[edge].to_b]; }
  // A link's entries with one row per strategy of its own end, or one per strategy of the other
  // end; forbidden entries are large.
  const double* rows(const Link& link) const {
    const Edge& edge = tables_->edges[link.edge];
    return &tables_->entries[link.first ? edge.by_a : edge.by_b];
  }
  const double* columns(const Link& link) const {
    const Edge& edge = tables_->edges[link.edge];
    return &tables_->entries[link.first ? edge.by_b : edge.by_a];
  }
  // The incoming message of a link.
  const double* incoming(const Link& link) const {
    return link.first ? to_a(link.edge) : to_b(link.edge);
  }
  // A link as a pass uses it: where its incoming and outgoing messages and its entries begin; the
  // entries have one row per strategy of its own end.
  struct Hop {
    int other = 0;
    size_t in = 0;
    size_t out = 0;
    size_t rows = 0;
  };
  // In the order of links(). The incoming messages of a node are contiguous.
  std::span<const Hop> hops(int node) const {
    const Hop* hops = tables_->hops.data();
    return {hops + tables_->nodes[node].hops, hops + tables_->nodes[node + 1].hops};
  }
  const double* rows(const Hop& hop) const { return &tables_->entries[hop.rows]; }
  // All messages. With the messages and prices of an earlier point, the next Sweep returns at least
  // the bound of the last Sweep before that point.
  const std::vector<double>& messages() const { return messages_; }
  void SetMessages(const std::vector<double>& messages) { messages_ = messages; }
  // The amount that a node moves into each of its edges to earlier nodes in a backward pass.
  void ShareOf(int node, std::vector<double>& out) const;

 private:
  // Where an edge's entries (with end b or end a fastest) and the messages to its ends begin. Equal
  // entries share one position.
  struct Edge {
    size_t by_a = 0;
    size_t by_b = 0;
    size_t to_a = 0;
    size_t to_b = 0;
  };
  // Where a node's data begins. An additional last element marks the ends.
  struct Node {
    size_t hops = 0;
    size_t messages = 0;
    // 1 / max(1, #earlier, #later neighbours).
    double share = 1;
  };
  struct Tables {
    std::vector<Edge> edges;
    std::vector<double> entries;
    std::vector<Node> nodes;
    std::vector<Hop> hops;
  };
  // Stores the edge entries in the order in which a pass reads them.
  void LayOut(bool forward, class EntryPool& pool, Tables& tables) const;
  void LayOutNodes(Tables& tables) const;

  // theta = priced costs of the node plus all its incoming messages.
  void Gather(int node, std::vector<double>& theta) const;
  double Pass(bool forward, std::vector<std::vector<double>>* marginals);

  const Reduced& reduced_;
  Jagged<Link> links_;
  std::shared_ptr<const Tables> tables_;
  std::vector<double> messages_;
  std::vector<double> prices_;
  // Costs plus penalties per node.
  Jagged<double> priced_;
  double price_constant_ = 0;
};

}  // namespace metadist
