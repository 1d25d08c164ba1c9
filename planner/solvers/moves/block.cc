// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/block.h"

#include <algorithm>

namespace metadist {

// At fixed prices memory is a node cost, and what remains is a pairwise problem that is too wide to
// solve. A ball of a few hundred nodes is not: bucket elimination minimises over it exactly, given
// the nodes around it; if even the ball is too wide, conditioning (elimination.h) fixes a few nodes
// of high degree at their current strategies. The move never raises the priced cost. It changes
// hundreds of nodes at once, which no sequence of single improvements does.

namespace {

// An elimination sums table entries in rows that stay in cache, several at a time. With small
// tables, most of the time is spent on the order and the scopes.
constexpr double kEntriesPerWork = 5;
constexpr int64_t kWorkPerNode = 1000;

}  // namespace

std::vector<int> RandomRegion(const Jagged<Link>& links, size_t most, Random& random) {
  const size_t count = links.size();
  if (count <= most) return Indices(count);
  std::vector<int> region;
  std::vector<char> seen(count, 0);
  while (region.size() < most) {
    // Continues at a new start when a component is exhausted.
    int start = random.Below(static_cast<int64_t>(count));
    while (seen[start]) start = static_cast<int>((start + 1) % count);
    AppendBreadthFirst(links, start, most, &random, seen, region);
  }
  return region;
}

BlockMover::BlockMover(const Reduced& reduced, const Dual& tables)
    : reduced_(reduced), tables_(tables), local_(reduced.count(), -1) {}

void BlockMover::FindAllowed(const Jagged<double>& penalties,
                             const std::vector<int>& region,
                             const Choice& choice) {
  allowed_.resize(std::max(allowed_.size(), region.size()));
  sizes_.clear();
  current_.clear();
  for (size_t k = 0; k < region.size(); ++k) {
    const int node = region[k];
    local_[node] = static_cast<int>(k);
    std::vector<int>& allowed = allowed_[k];
    allowed.clear();
    for (int p = 0; p < reduced_.size(node); ++p) {
      if (p == choice[node]) current_.push_back(static_cast<int>(allowed.size()));
      if (penalties[node][p] < kLeftOut) allowed.push_back(p);
    }
    sizes_.push_back(static_cast<int>(allowed.size()));
  }
}

double BlockMover::AddEdge(const std::vector<int>& region, int k, const Link& link) {
  const int other = local_[link.other];
  const double* entries = tables_.rows(link);
  const size_t columns = reduced_.size(link.other);
  const std::vector<int>& rows_in = allowed_[k];
  const std::vector<int>& columns_in = allowed_[other];
  if (rows_in.size() < static_cast<size_t>(reduced_.size(region[k])) ||
      columns_in.size() < columns) {
    compact_.resize(std::max(compact_.size(), task_.edges.size() + 1));
    std::vector<double>& compact = compact_[task_.edges.size()];
    compact.clear();
    for (int p : rows_in) {
      for (int q : columns_in) compact.push_back(entries[p * columns + q]);
    }
    entries = compact.data();
  }
  edges_.emplace_back(k, other);
  task_.edges.push_back({k, other, entries});
  return entries[current_[k] * columns_in.size() + current_[other]];
}

double BlockMover::MakeTask(const Jagged<double>& penalties,
                            const std::vector<int>& region,
                            const Choice& choice) {
  FindAllowed(penalties, region, choice);
  double cost = 0;
  task_.edges.clear();
  task_.unary.resize(region.size());
  edges_.clear();
  for (size_t k = 0; k < region.size(); ++k) {
    const int node = region[k];
    const std::vector<int>& allowed = allowed_[k];
    std::vector<double>& unary = task_.unary[k];
    unary.resize(allowed.size());
    for (size_t z = 0; z < allowed.size(); ++z) {
      const int p = allowed[z];
      unary[z] = static_cast<double>(reduced_.costs[node][p]) + penalties[node][p];
    }
    for (const Link& link : tables_.links()[node]) {
      if (local_[link.other] >= 0) {
        if (link.first) cost += AddEdge(region, static_cast<int>(k), link);
        continue;
      }
      const double* add =
          tables_.columns(link) + static_cast<size_t>(choice[link.other]) * reduced_.size(node);
      for (size_t z = 0; z < allowed.size(); ++z) unary[z] += add[allowed[z]];
    }
    cost += unary[current_[k]];
  }
  for (int node : region) local_[node] = -1;
  return cost;
}

MoveResult BlockMover::Run(const Jagged<double>& penalties,
                           const std::vector<int>& region,
                           double cap,
                           Random& random,
                           Choice& choice) {
  const double before = MakeTask(penalties, region, choice);
  const EliminationPlan plan = PlanConditioned(sizes_, edges_, cap, random);
  const double after = RunElimination(task_, plan, current_);
  for (size_t k = 0; k < region.size(); ++k) choice[region[k]] = allowed_[k][current_[k]];
  return {before - after,
          static_cast<int64_t>(plan.total / kEntriesPerWork) +
              kWorkPerNode * static_cast<int64_t>(region.size())};
}

}  // namespace metadist
