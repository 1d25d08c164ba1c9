// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/block.h"

#include <numeric>
#include <utility>

#include "planner/solvers/elimination.h"

namespace metadist {

// At fixed prices memory is a node cost, and what is left is a pairwise problem that is too wide to
// solve. A ball of a few hundred nodes is not: bucket elimination minimises over it exactly, given
// its border, and where even the ball is too wide, conditioning (elimination.h) fixes a few nodes
// of high degree at their current strategies. The move never worsens the priced cost, and moves
// hundreds of nodes at once, which no sequence of single improvements does.

namespace {

constexpr double kBlockTable = 1e5;

}  // namespace

std::vector<int> RandomRegion(const std::vector<std::vector<Link>>& links, Random& random) {
  const size_t count = links.size();
  std::vector<int> region;
  if (count <= kRegionNodes) {
    region.resize(count);
    std::iota(region.begin(), region.end(), 0);
    return region;
  }
  std::vector<char> seen(count, 0);
  std::vector<int> next;
  while (region.size() < kRegionNodes) {
    // A new start when a component is exhausted.
    int start = random.Below(static_cast<int64_t>(count));
    while (seen[start]) start = static_cast<int>((start + 1) % count);
    seen[start] = 1;
    size_t head = region.size();
    region.push_back(start);
    for (; head < region.size() && region.size() < kRegionNodes; ++head) {
      next.clear();
      for (const Link& link : links[region[head]]) {
        if (seen[link.other]) continue;
        seen[link.other] = 1;
        next.push_back(link.other);
      }
      random.Shuffle(next);
      region.insert(region.end(), next.begin(), next.end());
    }
  }
  return region;
}

int64_t BlockMove(const Reduced& reduced,
                  const Dual& tables,
                  const std::vector<std::vector<double>>& penalties,
                  const std::vector<int>& region,
                  Random& random,
                  Choice& choice) {
  std::vector<int> local(reduced.count(), -1);
  for (size_t k = 0; k < region.size(); ++k) local[region[k]] = static_cast<int>(k);
  EliminationTask<double> task;
  std::vector<int> sizes;
  std::vector<std::pair<int, int>> edges;
  Choice current;
  for (size_t k = 0; k < region.size(); ++k) {
    const int i = region[k];
    sizes.push_back(reduced.size(i));
    current.push_back(choice[i]);
    std::vector<double> unary(reduced.size(i));
    for (size_t p = 0; p < unary.size(); ++p) {
      unary[p] = static_cast<double>(reduced.costs[i][p]) + penalties[i][p];
    }
    for (const Link& link : tables.links()[i]) {
      const int other = local[link.other];
      if (other >= 0) {
        if (!link.first) continue;
        edges.emplace_back(static_cast<int>(k), other);
        task.edges.push_back({static_cast<int>(k), other, tables.by_a(link.edge)});
        continue;
      }
      const std::vector<double>& costs =
          link.first ? tables.by_b(link.edge) : tables.by_a(link.edge);
      const double* add = &costs[choice[link.other] * unary.size()];
      for (size_t p = 0; p < unary.size(); ++p) unary[p] += add[p];
    }
    task.unary.push_back(std::move(unary));
  }
  const EliminationPlan plan = PlanConditioned(sizes, edges, kBlockTable, random);
  RunElimination(std::move(task), plan, current);
  for (size_t k = 0; k < region.size(); ++k) choice[region[k]] = current[k];
  return static_cast<int64_t>(plan.total);
}

}  // namespace metadist
