// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/dual.h"

#include <algorithm>
#include <cmath>

#include "planner/solvers/evaluate.h"
#include "planner/solvers/penalties.h"

namespace metadist {

// Problem: a lower bound of  min sum theta_i(s_i) + sum c_ij(s_i, s_j)  subject to memory rows.
// The rows are priced (Lagrangian relaxation): price[t] x (usage[t] - limit) is added to the cost,
// which for any prices >= 0 costs a feasible choice nothing. What remains is a pairwise problem, a
// Markov random field. Its LP bound comes from an LP solver (slow: one column per edge entry) or by
// message passing, of which TRW-S (Kolmogorov, PAMI 2006) is the fastest that never lowers the
// bound.
//
// Nodes are visited in their given order (program order: chains are long, so information travels
// far), then backwards. At node i: theta = priced costs + all incoming messages; every neighbour j
// ahead gets  m(q) = min over p of (share * theta(p) - message from j (p) + c(p, q)),  less its
// minimum. Backwards, the minima of theta and of the messages are split off; their sum is the
// bound.
//
// Doubles round, so reports use SafeBound: any numbers taken as messages give a valid bound if the
// sums are exact. Messages, prices and the share each node moves into its edges behind are rounded
// to multiples of 2^-32, and all minima are added up in 128-bit integers. With unrounded numbers it
// equals the bound of the last backward pass.

namespace {

constexpr int kFractionBits = 32;

WideCost Fixed(double value) {
  return static_cast<WideCost>(std::floor(std::ldexp(value, kFractionBits)));
}

WideCost Fixed(int64_t value) { return static_cast<WideCost>(value) << kFractionBits; }

double SubtractMinimum(std::vector<double>& values) {
  const double least = *std::min_element(values.begin(), values.end());
  for (double& value : values) value -= least;
  return least;
}

}  // namespace

Dual::Dual(const Reduced& reduced)
    : reduced_(reduced), links_(MakeLinks(reduced)), edges_(reduced.edges.size()) {
  for (size_t e = 0; e < edges_.size(); ++e) {
    const Reduced::Edge& from = reduced.edges[e];
    const size_t rows = reduced.size(from.a);
    const size_t columns = reduced.size(from.b);
    Edge& edge = edges_[e];
    edge.by_a.assign(from.costs.begin(), from.costs.end());
    edge.by_b.resize(rows * columns);
    for (size_t p = 0; p < rows; ++p) {
      for (size_t q = 0; q < columns; ++q) edge.by_b[q * rows + p] = edge.by_a[p * columns + q];
    }
    edge.to_a.assign(rows, 0);
    edge.to_b.assign(columns, 0);
  }
  SetPrices(std::vector<double>(reduced.base.size(), 0));
}

void Dual::SetPrices(std::vector<double> prices) {
  prices_ = std::move(prices);
  price_constant_ = 0;
  for (size_t t = 0; t < prices_.size(); ++t) {
    price_constant_ += prices_[t] * static_cast<double>(reduced_.base[t] - *reduced_.limit);
  }
  PricePenalties(reduced_, prices_, penalties_);
}

double Dual::Share(int node) const {
  int ahead = 0;
  for (const Link& link : links_[node]) ahead += link.other > node;
  const int behind = static_cast<int>(links_[node].size()) - ahead;
  return 1.0 / std::max({1, ahead, behind});
}

void Dual::Gather(int node, std::vector<double>& theta) const {
  theta.resize(reduced_.size(node));
  for (size_t p = 0; p < theta.size(); ++p) theta[p] = priced(node, static_cast<int>(p));
  for (const Link& link : links_[node]) {
    const std::vector<double>& message = incoming(link);
    for (size_t p = 0; p < theta.size(); ++p) theta[p] += message[p];
  }
}

double Dual::Pass(bool forward, std::vector<std::vector<double>>* marginals) {
  double bound = 0;
  std::vector<double> theta;
  std::vector<double> moved;
  for (int k = 0; k < reduced_.count(); ++k) {
    const int i = forward ? k : reduced_.count() - 1 - k;
    Gather(i, theta);
    const double least = SubtractMinimum(theta);
    if (!forward) bound += least;
    if (marginals) (*marginals)[i] = theta;
    const double share = Share(i);
    for (const Link& link : links_[i]) {
      if ((link.other > i) != forward) continue;
      Edge& edge = edges_[link.edge];
      const std::vector<double>& in = link.first ? edge.to_a : edge.to_b;
      std::vector<double>& out = link.first ? edge.to_b : edge.to_a;
      const std::vector<double>& costs = link.first ? edge.by_a : edge.by_b;
      moved.resize(theta.size());
      for (size_t p = 0; p < theta.size(); ++p) moved[p] = share * theta[p] - in[p];
      const size_t columns = out.size();
      double* target = out.data();
      for (size_t q = 0; q < columns; ++q) target[q] = moved[0] + costs[q];
      for (size_t p = 1; p < theta.size(); ++p) {
        const double* row = &costs[p * columns];
        const double add = moved[p];
        for (size_t q = 0; q < columns; ++q) {
          const double value = add + row[q];
          target[q] = value < target[q] ? value : target[q];
        }
      }
      const double minimum = SubtractMinimum(out);
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
    theta.resize(reduced_.size(i));
    for (size_t p = 0; p < theta.size(); ++p) theta[p] = priced(i, static_cast<int>(p));
    for (const Link& link : links_[i]) {
      const Edge& edge = edges_[link.edge];
      const double* add = incoming(link).data();
      if (link.other < i) {
        const std::vector<double>& costs = link.first ? edge.by_b : edge.by_a;
        add = &costs[out[link.other] * theta.size()];
      }
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

int64_t Dual::SafeBound() const {
  WideCost sum = Fixed(reduced_.constant);
  std::vector<WideCost> prefix(prices_.size() + 1, 0);
  for (size_t t = 0; t < prices_.size(); ++t) {
    const WideCost price = Fixed(prices_[t]);
    prefix[t + 1] = prefix[t] + price;
    sum += price * (reduced_.base[t] - *reduced_.limit);
  }
  // What each node moves into every edge behind it.
  std::vector<std::vector<WideCost>> moved(reduced_.count());
  std::vector<double> gathered;
  for (int i = 0; i < reduced_.count(); ++i) {
    std::vector<WideCost> theta;
    for (int64_t cost : reduced_.costs[i]) theta.push_back(Fixed(cost));
    for (const MemoryRow& row : reduced_.rows[i]) {
      const WideCost price = prefix[row.hi] - prefix[row.lo];
      for (size_t p = 0; p < theta.size(); ++p) theta[p] += price * row.usage[p];
    }
    int behind = 0;
    for (const Link& link : links_[i]) {
      behind += link.other < i;
      const std::vector<double>& message = incoming(link);
      for (size_t p = 0; p < theta.size(); ++p) theta[p] += Fixed(message[p]);
    }
    Gather(i, gathered);
    SubtractMinimum(gathered);
    const double share = Share(i);
    for (size_t p = 0; p < theta.size(); ++p) {
      moved[i].push_back(Fixed(share * gathered[p]));
      theta[p] -= moved[i][p] * behind;
    }
    sum += *std::min_element(theta.begin(), theta.end());
  }
  for (size_t e = 0; e < edges_.size(); ++e) {
    const Reduced::Edge& exact = reduced_.edges[e];
    const Edge& edge = edges_[e];
    const size_t columns = edge.to_b.size();
    // At the later end the share comes in, its own message (from the earlier end) goes out.
    std::vector<WideCost> add_a;
    std::vector<WideCost> add_b;
    for (size_t p = 0; p < edge.to_a.size(); ++p) {
      add_a.push_back((exact.a > exact.b ? moved[exact.a][p] : 0) - Fixed(edge.to_a[p]));
    }
    for (size_t q = 0; q < columns; ++q) {
      add_b.push_back((exact.b > exact.a ? moved[exact.b][q] : 0) - Fixed(edge.to_b[q]));
    }
    bool found = false;
    WideCost least = 0;
    for (size_t p = 0; p < add_a.size(); ++p) {
      for (size_t q = 0; q < columns; ++q) {
        const int64_t cost = exact.costs[p * columns + q];
        if (IsInfinite(cost)) continue;
        const WideCost value = Fixed(cost) + add_a[p] + add_b[q];
        if (!found || value < least) least = value;
        found = true;
      }
    }
    if (!found) return kInfinite;
    sum += least;
  }
  // Costs are integers, so the bound rounds up.
  const WideCost unit = WideCost{1} << kFractionBits;
  const WideCost rounded = sum >= 0 ? (sum + unit - 1) / unit : -((-sum) / unit);
  return static_cast<int64_t>(
      std::clamp(rounded, -static_cast<WideCost>(kInfinite), static_cast<WideCost>(kInfinite)));
}

}  // namespace metadist
