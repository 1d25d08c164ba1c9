// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/route_problem.h"

#include <algorithm>

namespace metadist {

MoveRule RouteProblem::rule(MoveKinds kinds, bool by_size) const {
  MoveRule rule{.kinds = kinds, .even = even, .frozen = 0, .grouped = true, .by_size = by_size};
  for (size_t s = 0; s < view.slots(); ++s) {
    const AxisList before = from.AxesOf(s);
    const AxisList after = to.AxesOf(s);
    for (size_t i = 0; i < std::min(before.size(), after.size()) && before[i] == after[i]; ++i)
      rule.frozen |= uint32_t{1} << before[i];
  }
  for (const Partial& partial : to.Partials()) rule.frozen |= uint32_t{1} << partial.axis;
  return rule;
}

int64_t RouteProblem::most_elements() const {
  return std::max(view.LargestElements(from), view.LargestElements(to));
}

std::optional<RouteProblem> MakeRouteProblem(const Shape& shape,
                                             const Sharding& from,
                                             const Sharding& to,
                                             const PrimeMesh& mesh,
                                             bool even) {
  auto view = View::Common(shape, from, to, mesh.fine);
  if (!view) return std::nullopt;
  const Layout source = view->LayoutOf(from);
  const Layout target = view->LayoutOf(to);
  return RouteProblem{&mesh, std::move(*view), source, target, even};
}

}  // namespace metadist
