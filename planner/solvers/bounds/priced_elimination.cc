// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/priced_elimination.h"

#include <algorithm>
#include <cmath>

namespace metadist {

// For prices w[t] >= 0, the cost of a choice within the limit is at least that cost plus sum w[t]
// (usage[t] - limit), so the minimum of this over all choices is a bound (Lagrangian relaxation).
// Computed by elimination, it is the best bound that these prices can give: message passing and
// linear programs give at most as much.
//
// Rounding must not invalidate the proof. Prices are rounded to multiples of 2^-kPriceBits, which
// are valid prices themselves. Penalties and the constant part are summed exactly in 128 bits. The
// tables are int64 and hold each penalty rounded down to a multiple of 2^-shift, which lowers the
// bound by less than one such step per node. shift is as large as the sums allow. Prices that are
// too high for the tables, with penalties beyond all costs, are useless and are scaled down.

namespace {

constexpr int kPriceBits = 40;
constexpr int kMostShift = 20;
// Upper limits of the sum of costs, and of costs and penalties together, in the tables.
constexpr double kLargestCosts = 0x1p58;
constexpr double kLargestSum = 0x1p59;

int64_t Scaled(int64_t cost, int shift) {
  return IsInfinite(cost) ? kInfinite : cost * (int64_t{1} << shift);
}

}  // namespace

PricedElimination::PricedElimination(const Reduced& reduced, EliminationPlan plan)
    : reduced_(reduced), plan_(std::move(plan)) {
  double sum = 1;
  for (int i = 0; i < reduced.count(); ++i) sum += LargestFiniteEntry(reduced.costs[i]);
  for (const Reduced::Edge& edge : reduced.edges) sum += LargestFiniteEntry(edge.costs);
  while (shift_ < kMostShift && std::ldexp(sum, shift_ + 1) < kLargestCosts) ++shift_;
  most_penalties_ = std::max(0.0, std::ldexp(kLargestSum, -shift_) - sum);
  for (const Reduced::Edge& edge : reduced.edges) {
    edge_costs_.Add(edge.costs);
  }
  for (int64_t& cost : edge_costs_.values()) cost = Scaled(cost, shift_);
}

PricedElimination::Answer PricedElimination::Minimize(const std::vector<double>& prices) {
  // Largest possible penalties, to keep the tables within their range.
  std::vector<double> sums(prices.size() + 1, 0);
  for (size_t t = 0; t < prices.size(); ++t) sums[t + 1] = sums[t] + prices[t];
  double most = 1;
  for (int i = 0; i < reduced_.count(); ++i) {
    for (const RowTable::Row& row : reduced_.rows[i]) {
      const int64_t usage = *std::max_element(row.usage.begin(), row.usage.end());
      most += (sums[row.hi] - sums[row.lo]) * static_cast<double>(usage);
    }
  }
  const double scale = std::min(1.0, most_penalties_ / most);
  WideCost constant = 0;
  std::vector<WideCost> prefix(prices.size() + 1, 0);
  for (size_t t = 0; t < prices.size(); ++t) {
    const WideCost price = static_cast<WideCost>(std::ldexp(prices[t] * scale, kPriceBits));
    prefix[t + 1] = prefix[t] + price;
    constant += price * (reduced_.base[t] - *reduced_.limit);
  }
  EliminationTask<int64_t> task;
  for (size_t e = 0; e < edge_costs_.size(); ++e) {
    task.edges.push_back({reduced_.edges[e].a, reduced_.edges[e].b, edge_costs_[e].data()});
  }
  task.unary.resize(reduced_.count());
  std::vector<WideCost> penalties;
  for (int i = 0; i < reduced_.count(); ++i) {
    penalties.assign(reduced_.size(i), 0);
    for (const RowTable::Row& row : reduced_.rows[i]) {
      const WideCost price = prefix[row.hi] - prefix[row.lo];
      if (price == 0) continue;
      for (size_t p = 0; p < penalties.size(); ++p) penalties[p] += price * row.usage[p];
    }
    for (size_t p = 0; p < penalties.size(); ++p) {
      const int64_t penalty = static_cast<int64_t>(penalties[p] >> (kPriceBits - shift_));
      task.unary[i].push_back(AddCosts(Scaled(reduced_.costs[i][p], shift_), penalty));
    }
  }
  Answer out;
  out.choice.assign(reduced_.count(), 0);
  const int64_t least = RunElimination(task, plan_, out.choice);
  if (IsInfinite(least)) {
    out.bound = kInfinite;
    return out;
  }
  const WideCost sum = (static_cast<WideCost>(least) << (kPriceBits - shift_)) + constant;
  // Costs are integers, so the bound rounds up; an arithmetic shift rounds down.
  const WideCost whole = -((-sum) >> kPriceBits) + reduced_.constant;
  const WideCost limit = kInfinite / 2 - 1;
  out.bound = static_cast<int64_t>(std::clamp(whole, -limit, limit));
  return out;
}

}  // namespace metadist
