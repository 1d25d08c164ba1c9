// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/dual.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "planner/solvers/bounds/decomposition.h"
#include "planner/solvers/bounds/min_plus.h"
#include "planner/solvers/bounds/penalties.h"

namespace metadist {

// Problem: a lower bound of  min sum theta_i(s_i) + sum c_ij(s_i, s_j)  subject to memory rows. The
// rows are priced (Lagrangian relaxation): price[t] x (usage[t] - limit) is added to the cost,
// which does not raise the cost of a feasible choice for any prices >= 0. What remains is a
// pairwise problem, a Markov random field. Its LP bound comes from an LP solver (slow: one column
// per edge entry) or from message passing, of which TRW-S (Kolmogorov, PAMI 2006) is the fastest
// that never lowers the bound.
//
// Nodes are visited in their given order (program order: chains are long, so information travels
// far), then backwards. The data that a pass reads is stored in that order, and equal edges share
// their entries; on large problems memory is the bottleneck. At node i: theta = priced costs + all
// incoming messages; every later neighbour j gets  m(q) = min over p of (share * theta(p) - message
// from j (p) + c(p, q)),  minus its minimum. In the backward pass, the subtracted minima of theta
// and of the messages add up to the bound.
//
// Doubles round, so reports use SafeBound (decomposition.h).

namespace {

double SubtractMinimum(double* values, size_t count) {
  double least = values[0];
  for (size_t p = 1; p < count; ++p) least = values[p] < least ? values[p] : least;
  for (size_t p = 0; p < count; ++p) values[p] -= least;
  return least;
}

}  // namespace

// Entries of edges; equal ones are stored once.
class EntryPool {
 public:
  explicit EntryPool(std::vector<double>& entries) : entries_(entries) {}

  // Returns the position at which these entries begin.
  size_t Add(const std::vector<double>& entries) {
    const char* bytes = reinterpret_cast<const char*>(entries.data());
    const size_t hash =
        std::hash<std::string_view>()({bytes, entries.size() * sizeof(entries.front())});
    const auto [begin, end] = known_.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
      const auto [first, count] = known->second;
      if (count == entries.size() &&
          std::equal(entries.begin(), entries.end(), entries_.begin() + first)) {
        return first;
      }
    }
    const size_t first = entries_.size();
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    known_.emplace(hash, std::pair(first, entries.size()));
    return first;
  }

 private:
  std::vector<double>& entries_;
  // By hash: begin and count.
  std::unordered_multimap<size_t, std::pair<size_t, size_t>> known_;
};

Dual::Dual(const Reduced& reduced) : reduced_(reduced), links_(MakeLinks(reduced)) {
  auto tables = std::make_shared<Tables>();
  tables->edges.resize(reduced.edges.size());
  EntryPool pool(tables->entries);
  LayOut(/*forward=*/true, pool, *tables);
  LayOut(/*forward=*/false, pool, *tables);
  LayOutNodes(*tables);
  messages_.resize(tables->nodes.back().messages, 0);
  tables_ = std::move(tables);
  SetPrices(std::vector<double>(reduced.base.size(), 0));
}

Dual::Dual(const Reduced& reduced, const Dual& tables)
    : reduced_(reduced),
      links_(tables.links_),
      tables_(tables.tables_),
      messages_(tables.messages_.size(), 0) {
  SetPrices(std::vector<double>(reduced.base.size(), 0));
}

void Dual::LayOut(bool forward, EntryPool& pool, Tables& tables) const {
  std::vector<double> entries;
  for (int k = 0; k < reduced_.count(); ++k) {
    const int i = forward ? k : reduced_.count() - 1 - k;
    for (const Link& link : links_[i]) {
      if ((link.other > i) != forward) continue;
      const std::vector<int64_t>& costs = reduced_.edges[link.edge].costs;
      Edge& edge = tables.edges[link.edge];
      const size_t columns = reduced_.size(link.other);
      // [i][other]; costs are [a][b].
      const size_t row_step = link.first ? columns : 1;
      const size_t column_step = link.first ? 1 : reduced_.size(i);
      entries.clear();
      for (int p = 0; p < reduced_.size(i); ++p) {
        for (size_t q = 0; q < columns; ++q) {
          const int64_t cost = costs[p * row_step + q * column_step];
          entries.push_back(static_cast<double>(cost));
        }
      }
      (link.first ? edge.by_a : edge.by_b) = pool.Add(entries);
    }
  }
}

void Dual::LayOutNodes(Tables& tables) const {
  Node next;
  for (int i = 0; i < reduced_.count(); ++i) {
    int ahead = 0;
    Node node = next;
    for (const Link& link : links_[i]) {
      ahead += link.other > i;
      Edge& edge = tables.edges[link.edge];
      (link.first ? edge.to_a : edge.to_b) = next.messages;
      next.messages += reduced_.size(i);
    }
    node.share = 1.0 / std::max({1, ahead, static_cast<int>(links_[i].size()) - ahead});
    next.hops += links_[i].size();
    tables.nodes.push_back(node);
  }
  tables.nodes.push_back(next);
  tables.hops.reserve(next.hops);
  for (const Link& link : links_.values()) {
    const Edge& edge = tables.edges[link.edge];
    tables.hops.push_back(link.first ? Hop{link.other, edge.to_a, edge.to_b, edge.by_a}
                                     : Hop{link.other, edge.to_b, edge.to_a, edge.by_b});
  }
}

void Dual::SetPrices(std::vector<double> prices) {
  prices_ = std::move(prices);
  price_constant_ = 0;
  for (size_t t = 0; t < prices_.size(); ++t) {
    price_constant_ += prices_[t] * static_cast<double>(reduced_.base[t] - *reduced_.limit);
  }
  PricePenalties(reduced_, prices_, priced_);
  const std::vector<int64_t>& costs = reduced_.costs.values();
  for (size_t k = 0; k < costs.size(); ++k) priced_.values()[k] += static_cast<double>(costs[k]);
}

void Dual::Gather(int node, std::vector<double>& theta) const {
  const std::span<const double> priced = priced_[node];
  theta.assign(priced.begin(), priced.end());
  const size_t end = tables_->nodes[node + 1].messages;
  for (size_t message = tables_->nodes[node].messages; message < end; message += theta.size()) {
    for (size_t p = 0; p < theta.size(); ++p) theta[p] += messages_[message + p];
  }
}

double Dual::Pass(bool forward, std::vector<std::vector<double>>* marginals) {
  double bound = 0;
  std::vector<double> theta;
  std::vector<double> moved;
  for (int k = 0; k < reduced_.count(); ++k) {
    const int i = forward ? k : reduced_.count() - 1 - k;
    Gather(i, theta);
    const double least = SubtractMinimum(theta.data(), theta.size());
    if (!forward) bound += least;
    if (marginals) (*marginals)[i] = theta;
    const Node& node = tables_->nodes[i];
    for (const Hop& hop : hops(i)) {
      if ((hop.other > i) != forward) continue;
      const double* in = &messages_[hop.in];
      double* out = &messages_[hop.out];
      moved.resize(theta.size());
      for (size_t p = 0; p < theta.size(); ++p) moved[p] = node.share * theta[p] - in[p];
      const size_t columns = reduced_.size(hop.other);
      const double minimum = MinPlus(moved, rows(hop), columns, out);
      for (size_t q = 0; q < columns; ++q) out[q] -= minimum;
      if (!forward) bound += minimum;
    }
  }
  return bound;
}

double Dual::Sweep() {
  Pass(/*forward=*/true, nullptr);
  return Pass(/*forward=*/false, nullptr) + static_cast<double>(reduced_.constant) +
         price_constant_;
}

Choice Dual::Round() const {
  Choice out(reduced_.count(), 0);
  std::vector<double> theta;
  for (int i = 0; i < reduced_.count(); ++i) {
    theta.assign(priced_[i].begin(), priced_[i].end());
    for (const Link& link : links_[i]) {
      const double* add = incoming(link);
      if (link.other < i) add = columns(link) + out[link.other] * theta.size();
      for (size_t p = 0; p < theta.size(); ++p) theta[p] += add[p];
    }
    out[i] = static_cast<int>(std::min_element(theta.begin(), theta.end()) - theta.begin());
  }
  return out;
}

std::vector<std::vector<double>> Dual::MinMarginals() {
  std::vector<std::vector<double>> out(reduced_.count());
  Pass(/*forward=*/true, &out);
  return out;
}

void Dual::ShareOf(int node, std::vector<double>& out) const {
  Gather(node, out);
  SubtractMinimum(out.data(), out.size());
  for (double& value : out) value *= tables_->nodes[node].share;
}

int64_t Dual::SafeBound() const { return Decomposition(reduced_, *this).bound(); }

void Dual::Inherit(const Reduced& before, const Dual& dual, const std::vector<double>& messages) {
  const std::vector<double>& taken = messages.empty() ? dual.messages_ : messages;
  std::fill(messages_.begin(), messages_.end(), 0);
  std::map<std::pair<int, int>, size_t> known;
  for (size_t e = 0; e < before.edges.size(); ++e) {
    known[{before.origin[before.edges[e].a], before.origin[before.edges[e].b]}] = e;
  }
  // Strategies of a node are identified by their original numbers, which are in ascending order.
  auto copy = [&](int node, int old_node, const double* from, double* to) {
    const std::vector<int>& now = reduced_.graph.strategy_of[reduced_.origin[node]];
    const std::vector<int>& then = before.graph.strategy_of[before.origin[old_node]];
    for (size_t p = 0; p < now.size(); ++p) {
      const auto found = std::lower_bound(then.begin(), then.end(), now[p]);
      if (found != then.end() && *found == now[p]) to[p] = from[found - then.begin()];
    }
  };
  for (size_t e = 0; e < reduced_.edges.size(); ++e) {
    const Reduced::Edge& own = reduced_.edges[e];
    const std::pair ends(reduced_.origin[own.a], reduced_.origin[own.b]);
    auto found = known.find(ends);
    const bool reversed = found == known.end();
    if (reversed) found = known.find({ends.second, ends.first});
    if (found == known.end()) continue;
    const Reduced::Edge& old = before.edges[found->second];
    const Edge& from = dual.tables_->edges[found->second];
    const double* from_a = &taken[reversed ? from.to_b : from.to_a];
    const double* from_b = &taken[reversed ? from.to_a : from.to_b];
    copy(own.a, reversed ? old.b : old.a, from_a, &messages_[tables_->edges[e].to_a]);
    copy(own.b, reversed ? old.a : old.b, from_b, &messages_[tables_->edges[e].to_b]);
  }
}

}  // namespace metadist
