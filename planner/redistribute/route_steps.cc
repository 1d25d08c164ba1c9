// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/route_steps.h"

#include <algorithm>
#include <utility>

namespace metadist {

std::vector<CollectiveStep> StepsOf(const RouteProblem& problem, const std::vector<Move>& moves) {
  std::vector<CollectiveStep> steps;
  Sharding at = problem.view.ShardingOf(problem.from);
  const Layout* layout = &problem.from;
  for (const Move& move : moves) {
    Sharding next = problem.view.ShardingOf(move.to);
    std::vector<int> axes = move.axes.ids();
    if (move.kind == CollectiveKind::kPermute)
      axes = AxisList::OfMask(layout->ChangedIn(move.to)).ids();
    steps.push_back({move.kind, std::move(axes), std::move(at), next});
    at = std::move(next);
    layout = &move.to;
  }
  return steps;
}

CollectiveStep HaloStep(const Sharding& to) {
  std::vector<int> axes;
  for (const DimSharding& dim : to.dims)
    if (!dim.halo.empty())
      axes.insert(axes.end(), dim.parts[0].sub[0].axes.begin(), dim.parts[0].sub[0].axes.end());
  std::sort(axes.begin(), axes.end());
  return {CollectiveKind::kHalo, std::move(axes), to.WithoutHalos(), to};
}

CollectiveStep SpareStep(const Sharding& to) {
  return {CollectiveKind::kSpare, {}, to.WithoutSpares(), to};
}

CollectiveStep DropStep(const Sharding& from) {
  return {CollectiveKind::kSlice, {}, from, from.WithoutSpares().WithoutHalos()};
}

}  // namespace metadist
