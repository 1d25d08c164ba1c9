// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/decomposition.h"

#include <algorithm>
#include <cmath>

namespace metadist {

// Problem: TRW-S and the price steps use doubles, but a bound that is wrong by one unit proves
// nothing. Any numbers used as messages give a valid bound if they are moved exactly: what is added
// to a node's costs is subtracted from an edge, so that the cost of every choice stays the same.
// Messages, prices and the share that each node moves into its edges to earlier nodes are rounded
// to multiples of 2^-32; everything else is integer addition in 128 bits. Without rounding, the sum
// of all minima would equal the bound of the last backward pass.
//
// Each term minus its minimum is the excess over the bound that a choice pays there. A choice with
// the pair (p, q) of an edge costs at least the bound + the pair's excess + those of p and q at
// their nodes; if that exceeds the wanted cost, the pair can be forbidden. This is exact too and
// needs no margin.

namespace {

constexpr int kFractionBits = 32;

WideCost Fixed(double value) {
  return static_cast<WideCost>(std::floor(std::ldexp(value, kFractionBits)));
}

WideCost Fixed(int64_t value) { return static_cast<WideCost>(value) << kFractionBits; }

}  // namespace

Decomposition::Decomposition(const Reduced& reduced, const Dual& dual)
    : reduced_(reduced), dual_(dual), total_(Fixed(reduced.constant)) {
  const std::vector<double>& prices = dual.prices();
  std::vector<WideCost> prefix(prices.size() + 1, 0);
  for (size_t t = 0; t < prices.size(); ++t) {
    const WideCost price = Fixed(prices[t]);
    prefix[t + 1] = prefix[t] + price;
    total_ += price * (reduced.base[t] - *reduced.limit);
  }
  own_.resize(reduced.count());
  moved_.resize(reduced.count());
  for (int i = 0; i < reduced.count(); ++i) AddNode(i, prefix);
  for (size_t e = 0; e < reduced.edges.size(); ++e) AddEdge(static_cast<int>(e));
  // Costs are integers, so the bound rounds up.
  const WideCost unit = WideCost{1} << kFractionBits;
  const WideCost rounded = total_ >= 0 ? (total_ + unit - 1) / unit : -((-total_) / unit);
  const WideCost most = kInfinite;
  bound_ = infeasible_ ? kInfinite : static_cast<int64_t>(std::clamp(rounded, -most, most));
}

void Decomposition::AddNode(int node, const std::vector<WideCost>& prefix) {
  std::vector<WideCost>& own = own_[node];
  for (int64_t cost : reduced_.costs[node]) own.push_back(Fixed(cost));
  for (const RowTable::Row& row : reduced_.rows[node]) {
    const WideCost price = prefix[row.hi] - prefix[row.lo];
    if (price == 0) continue;
    for (size_t p = 0; p < own.size(); ++p) own[p] += price * row.usage[p];
  }
  int behind = 0;
  for (const Link& link : dual_.links()[node]) {
    behind += link.other < node;
    const double* message = dual_.incoming(link);
    for (size_t p = 0; p < own.size(); ++p) own[p] += Fixed(message[p]);
  }
  if (behind > 0) {
    std::vector<double> share;
    dual_.ShareOf(node, share);
    for (size_t p = 0; p < own.size(); ++p) {
      moved_[node].push_back(Fixed(share[p]));
      own[p] -= moved_[node][p] * behind;
    }
  }
  const WideCost least = *std::min_element(own.begin(), own.end());
  for (WideCost& value : own) value -= least;
  total_ += least;
}

void Decomposition::Ends(int edge, std::vector<WideCost>& a, std::vector<WideCost>& b) const {
  const Reduced::Edge& ends = reduced_.edges[edge];
  // The share is added at the later end; the edge's own message is subtracted at both ends.
  auto fill = [&](int node, bool later, const double* message, std::vector<WideCost>& out) {
    out.clear();
    for (int p = 0; p < reduced_.size(node); ++p) {
      out.push_back((later ? moved_[node][p] : WideCost{0}) - Fixed(message[p]));
    }
  };
  fill(ends.a, ends.a > ends.b, dual_.to_a(edge), a);
  fill(ends.b, ends.b > ends.a, dual_.to_b(edge), b);
}

void Decomposition::AddEdge(int edge) {
  std::vector<WideCost> a;
  std::vector<WideCost> b;
  Ends(edge, a, b);
  const std::vector<int64_t>& costs = reduced_.edges[edge].costs;
  bool found = false;
  WideCost least = 0;
  const int64_t* cost = costs.data();
  for (const WideCost row : a) {
    for (const WideCost column : b) {
      const int64_t entry = *cost++;
      if (IsInfinite(entry)) continue;
      const WideCost value = Fixed(entry) + row + column;
      if (!found || value < least) least = value;
      found = true;
    }
  }
  least_.push_back(least);
  total_ += least;
  if (!found) infeasible_ = true;
}

int64_t Decomposition::PairsAbove(int edge, int64_t most, std::vector<char>& marks) const {
  std::vector<WideCost> a;
  std::vector<WideCost> b;
  Ends(edge, a, b);
  const Reduced::Edge& ends = reduced_.edges[edge];
  for (size_t p = 0; p < a.size(); ++p) a[p] += own_[ends.a][p];
  for (size_t q = 0; q < b.size(); ++q) b[q] += own_[ends.b][q];
  const WideCost allowed = Fixed(most) - total_ + least_[edge];
  marks.assign(ends.costs.size(), 0);
  int64_t count = 0;
  size_t at = 0;
  for (const WideCost row : a) {
    for (const WideCost column : b) {
      const int64_t entry = ends.costs[at];
      if (!IsInfinite(entry) && Fixed(entry) + row + column > allowed) {
        marks[at] = 1;
        ++count;
      }
      ++at;
    }
  }
  return count;
}

}  // namespace metadist
