// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/marginal.h"

#include <algorithm>

#include "planner/solvers/bounds/memory_profile.h"

namespace metadist {

// One binary x per strategy, one continuous y >= 0 per allowed pair of an edge:
//  sum_p x_ip = 1;   sum_q y_pq = x_ap;   sum_p y_pq = x_bq;   min sum c x + sum c y.
// The usual encoding of a product by y >= x_a + x_b - 1 has a weak relaxation (60 % of the optimum
// on a 24-layer GPT); with row and column sums the relaxation is the local marginal polytope, which
// is exact on trees and nearly always integral on sharding problems of models. Integral x imply
// integral y, so only x are binary. Memory rows: usage at a time <= limit, divided by the limit.
// There may be thousands of times, of which a handful bind, so the caller starts with a few and
// adds the violated peaks of each solution. Entries are scaled to at most 1e7 to stay within the
// tolerances of the LP; the least entry of each edge and node is first moved into a constant, which
// keeps entries small and improves the conditioning of the LP. A solution may exceed the limit by
// less than the tolerance of its row; AddCover excludes it combinatorially: the nodes that are live
// at that time cannot all use at least as much as they do in that solution.

namespace {

constexpr double kInfinity = 1e30;
constexpr double kLargestEntry = 1e7;

// The least entry.
int64_t Least(std::span<const int64_t> costs) {
  return *std::min_element(costs.begin(), costs.end());
}

double Span(std::span<const int64_t> costs) {
  const int64_t least = Least(costs);
  double span = 0;
  for (int64_t cost : costs) {
    if (!IsInfinite(cost)) span = std::max(span, static_cast<double>(cost - least));
  }
  return span;
}

}  // namespace

MarginalProgram::MarginalProgram(const Reduced& reduced, Objective objective, int64_t peak_unit)
    : reduced_(reduced), objective_(objective), peak_unit_(static_cast<double>(peak_unit)) {
  double largest = 1;
  for (int i = 0; i < reduced.count(); ++i) largest = std::max(largest, Span(reduced.costs[i]));
  for (const Reduced::Edge& edge : reduced.edges) largest = std::max(largest, Span(edge.costs));
  unit_ = std::max(1.0, largest / kLargestEntry);
  const bool priced = objective == Objective::kCost;
  for (int i = 0; i < reduced.count(); ++i) {
    const int64_t least = Least(reduced.costs[i]);
    offset_ += least;
    first_.push_back(model_.columns());
    const int row = model_.AddRow(1, 1);
    for (int64_t cost : reduced.costs[i]) {
      const double entry = static_cast<double>(cost - least) / unit_;
      const bool allowed = !IsInfinite(cost);
      const int column =
          model_.AddColumn(priced && allowed ? entry : 0, allowed ? 1 : 0, /*integer=*/true);
      model_.AddElement(row, column, 1);
    }
  }
  for (const Reduced::Edge& edge : reduced.edges) {
    offset_ += Least(edge.costs);
    AddEdge(edge);
  }
  if (!priced) peak_column_ = model_.AddColumn(1, kInfinity, /*integer=*/false);
}

void MarginalProgram::AddEdge(const Reduced::Edge& edge) {
  const int rows = reduced_.size(edge.a);
  const int columns = reduced_.size(edge.b);
  const int64_t least = Least(edge.costs);
  const bool priced = objective_ == Objective::kCost;
  if (rows == 1 || columns == 1) {
    const int first = rows == 1 ? first_[edge.b] : first_[edge.a];
    for (size_t k = 0; k < edge.costs.size(); ++k) {
      if (IsInfinite(edge.costs[k])) {
        const int row = model_.AddRow(0, 0);
        model_.AddElement(row, first + static_cast<int>(k), 1);
      } else if (priced) {
        model_.objective[first + k] += static_cast<double>(edge.costs[k] - least) / unit_;
      }
    }
    return;
  }
  // Rows that will state the sums of y for each strategy of an end; returns the first.
  const auto add_sums = [this](int node) {
    const int first = model_.rows();
    for (int p = 0; p < reduced_.size(node); ++p) {
      model_.AddElement(model_.AddRow(0, 0), first_[node] + p, -1);
    }
    return first;
  };
  const int row_sums = add_sums(edge.a);
  const int column_sums = add_sums(edge.b);
  for (int p = 0; p < rows; ++p) {
    for (int q = 0; q < columns; ++q) {
      const int64_t cost = edge.costs[static_cast<size_t>(p) * columns + q];
      if (IsInfinite(cost)) continue;
      const double entry = priced ? static_cast<double>(cost - least) / unit_ : 0;
      const int column = model_.AddColumn(entry, kInfinity, /*integer=*/false);
      model_.AddElement(row_sums + p, column, 1);
      model_.AddElement(column_sums + q, column, 1);
    }
  }
}

bool MarginalProgram::AddTime(int time) {
  if (!times_.insert(time).second) return false;
  const double unit = objective_ == Objective::kCost
                          ? static_cast<double>(std::max<int64_t>(1, *reduced_.limit))
                          : peak_unit_;
  const double base = static_cast<double>(reduced_.base[time]) / unit;
  const double limit =
      objective_ == Objective::kCost ? static_cast<double>(*reduced_.limit) / unit - base : -base;
  const int row = model_.AddRow(-kInfinity, limit);
  if (peak_column_ >= 0) model_.AddElement(row, peak_column_, -1);
  std::vector<int64_t> usage;  // by strategy
  for (int i = 0; i < reduced_.count(); ++i) {
    usage.assign(static_cast<size_t>(reduced_.size(i)), 0);
    for (const RowTable::Row& memory : reduced_.rows[i]) {
      if (memory.lo > time || time >= memory.hi) continue;
      for (size_t p = 0; p < usage.size(); ++p) usage[p] += memory.usage[p];
    }
    for (size_t p = 0; p < usage.size(); ++p)
      if (usage[p] != 0)
        model_.AddElement(
            row, first_[i] + static_cast<int>(p), static_cast<double>(usage[p]) / unit);
  }
  return true;
}

void MarginalProgram::AddCover(const Choice& choice, int time) {
  std::vector<std::pair<int, int64_t>> members;
  for (int i = 0; i < reduced_.count(); ++i) {
    const int64_t usage = UsageAt(reduced_, i, choice[i], time);
    if (usage > 0) members.emplace_back(i, usage);
  }
  const int row = model_.AddRow(-kInfinity, static_cast<double>(members.size()) - 1);
  for (const auto& [node, usage] : members) {
    for (int p = 0; p < reduced_.size(node); ++p) {
      if (UsageAt(reduced_, node, p, time) >= usage) model_.AddElement(row, first_[node] + p, 1);
    }
  }
}

Choice MarginalProgram::Read(const std::vector<double>& solution) const {
  Choice out(reduced_.count(), 0);
  for (int i = 0; i < reduced_.count(); ++i) {
    const double* values = &solution[first_[i]];
    out[i] = static_cast<int>(std::max_element(values, values + reduced_.size(i)) - values);
  }
  return out;
}

}  // namespace metadist
