// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/point_to_point.h"

#include <algorithm>

namespace metadist {

std::vector<int> AxesPartialOnlyIn(const Sharding& a, const Sharding& b) {
  std::vector<int> axes;
  for (const Partial& partial : a.partial)
    if (std::ranges::find(b.partial, partial) == b.partial.end()) axes.push_back(partial.axis);
  return axes;
}

std::vector<int> ExchangeAxes(const Shape& shape,
                              const Sharding& from,
                              const Sharding& to,
                              const Mesh& mesh) {
  std::vector<bool> moves(mesh.axes.size(), false);
  for (const Sharding* sharding : {&from, &to})
    for (int axis : sharding->CuttingAxes()) moves[static_cast<size_t>(axis)] = true;
  for (size_t d = 0; d < shape.size(); ++d) {
    const DimSharding& a = from.dims[d];
    const DimSharding& b = to.dims[d];
    if (a.parts.size() != 1 || b.parts.size() != 1) continue;
    const SubDim& outer_a = a.parts[0].sub[0];
    const SubDim& outer_b = b.parts[0].sub[0];
    for (size_t i = 0; i < std::min(outer_a.axes.size(), outer_b.axes.size()); ++i) {
      if (outer_a.axes[i] != outer_b.axes[i]) break;
      if (outer_a.size % mesh.size(outer_a.axes) != 0 ||
          outer_b.size % mesh.size(outer_b.axes) != 0)
        break;
      moves[static_cast<size_t>(outer_a.axes[i])] = false;
    }
  }
  std::vector<int> axes;
  for (size_t a = 0; a < moves.size(); ++a)
    if (moves[a]) axes.push_back(static_cast<int>(a));
  return axes;
}

std::vector<CollectiveStep> PointToPoint(const Shape& shape,
                                         const Sharding& from,
                                         const Sharding& to,
                                         const Mesh& mesh) {
  std::vector<CollectiveStep> steps;
  Sharding at = from;
  const std::vector<int> reduced = AxesPartialOnlyIn(from, to);
  at.partial = to.partial;
  if (!reduced.empty()) steps.push_back({CollectiveKind::kAllReduce, reduced, from, at});
  if (at != to)
    steps.push_back({CollectiveKind::kExchange, ExchangeAxes(shape, at, to, mesh), at, to});
  return steps;
}

}  // namespace metadist
