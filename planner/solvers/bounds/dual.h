// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "planner/solvers/bounds/links.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Lower bounds of a reduced problem with its memory limit priced: sequential tree-reweighted
// message passing (TRW-S) over costs plus prices x usage. Prices are costs per unit of usage and
// kept time,
// >= 0. Cost per sweep: linear in the edge entries.
class Dual {
 public:
  // `reduced` must outlive the object; all prices 0.
  explicit Dual(const Reduced& reduced);
  // The same problem with the edge entries of another, which may sweep meanwhile; messages and
  // prices are 0.
  Dual(const Reduced& reduced, const Dual& tables);

  void SetPrices(std::vector<double> prices);
  const std::vector<double>& prices() const { return prices_; }

  // One sweep in node order and one back. Returns the bound at the current prices, constants
  // included, up to rounding errors of doubles. Never falls at fixed prices, rounding apart.
  double Sweep();
  // A choice in node order: earlier neighbours as chosen, later ones by their messages.
  Choice Round() const;
  // Per node, how much the bound rises at least if a strategy is forced, after a Sweep.
  std::vector<std::vector<double>> MinMarginals();
  // A bound of the feasible choices' cost in exact integer arithmetic: <= the optimum whatever the
  // rounding errors of messages and prices (decomposition.h). Call after Sweep.
  int64_t SafeBound() const;
  // Takes over the messages, of the edges that a problem, of which this one is a remainder, had
  // between the same nodes: the bound starts where it was left. messages: of `dual`, which is that
  // problem's; empty: its present ones.
  void Inherit(const Reduced& before, const Dual& dual, const std::vector<double>& messages);

  // Cost plus penalty of a strategy.
  double priced(int node, int p) const { return priced_[node][p]; }
  const std::vector<std::vector<Link>>& links() const { return links_; }
  // The messages to the ends of an edge, one number per strategy.
  const double* to_a(int edge) const { return &messages_[tables_->edges[edge].to_a]; }
  const double* to_b(int edge) const { return &messages_[tables_->edges[edge].to_b]; }
  // A link's entries with a row per strategy of its own end, and with one per strategy of the other
  // end; forbidden entries are large.
  const double* rows(const Link& link) const {
    const Edge& edge = tables_->edges[link.edge];
    return &tables_->entries[link.first ? edge.by_a : edge.by_b];
  }
  const double* columns(const Link& link) const {
    const Edge& edge = tables_->edges[link.edge];
    return &tables_->entries[link.first ? edge.by_b : edge.by_a];
  }
  // The message that comes in over a link.
  const double* incoming(const Link& link) const {
    return link.first ? to_a(link.edge) : to_b(link.edge);
  }
  // A link as a pass walks it: where the messages that come in and go out over it and its entries
  // begin, with a row per strategy of its own end.
  struct Hop {
    int other = 0;
    size_t in = 0;
    size_t out = 0;
    size_t rows = 0;
  };
  // In the order of links(). Messages that come in at a node lie side by side.
  std::span<const Hop> hops(int node) const {
    const Hop* hops = tables_->hops.data();
    return {hops + tables_->nodes[node].hops, hops + tables_->nodes[node + 1].hops};
  }
  const double* rows(const Hop& hop) const { return &tables_->entries[hop.rows]; }
  // All messages. With those of an earlier moment and its prices, the next Sweep gives at least the
  // bound of the last one then.
  const std::vector<double>& messages() const { return messages_; }
  void SetMessages(const std::vector<double>& messages) { messages_ = messages; }
  // What a node moves into each of its edges behind in a backward pass.
  void ShareOf(int node, std::vector<double>& out) const;

 private:
  // Where an edge's entries, end b or end a fastest, and the messages to its ends begin. Equal
  // entries lie in one place.
  struct Edge {
    size_t by_a = 0;
    size_t by_b = 0;
    size_t to_a = 0;
    size_t to_b = 0;
  };
  // Where what belongs to a node begins. A last one marks the ends.
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
  // Lays out what a pass reads, in its order.
  void LayOut(bool forward, class EntryPool& pool, Tables& tables) const;
  void LayOutNodes(Tables& tables) const;

  // Adds to theta what the neighbours say; theta starts as the priced costs.
  void Gather(int node, std::vector<double>& theta) const;
  double Pass(bool forward, std::vector<std::vector<double>>* marginals);

  const Reduced& reduced_;
  std::vector<std::vector<Link>> links_;
  std::shared_ptr<const Tables> tables_;
  std::vector<double> messages_;
  std::vector<double> prices_;
  // Costs plus penalties, node by node.
  Jagged<double> priced_;
  double price_constant_ = 0;
};

}  // namespace metadist
