// SPDX-License-Identifier: Apache-2.0
//
// Routes as PyTorch's DTensor plans them by default.
//
// Idea: an array has one placement per mesh dim (split along one of its dims, replicated, or
// partial), and each step changes one placement. A split on an inner mesh dim is nested in those on
// outer ones, so if the outer splits of an array dim differ from the target, an inner split along
// it is gathered first. One walk from inner to outer mesh dims does that and all changes that are
// possible at once; a second from outer to inner does the rest. Sizes and memory are ignored.
//
// Placements can only express whole axes in mesh order. Complexity: axes squared. Source:
// pytorch/pytorch, torch/distributed/tensor/_redistribute.py (read at commit 012e4b96), the greedy
// transform; reimplemented from its description.
#include <algorithm>

#include "planner/redistribute/baselines/baseline_route.h"
#include "planner/redistribute/baselines/baselines.h"
#include "planner/redistribute/baselines/whole_axes.h"

namespace metadist {
namespace {

using Kind = Placement::Kind;

class GreedyWalk {
 public:
  GreedyWalk(const RouteProblem& problem, const WholeAxes& from, const WholeAxes& to)
      : mesh_(*problem.mesh), at_(from.placements), to_(to.placements), route_(problem) {}

  Moves Run() {
    const auto splits = [](const Placement& p) { return p.kind == Kind::kShard; };
    const size_t axes = at_.size();
    if (std::any_of(at_.begin(), at_.end(), splits))
      for (size_t axis = axes; axis-- > 0;) Change(axis, Misplaced(axis) ? Placement{} : to_[axis]);
    for (size_t axis = 0; axis < axes; ++axis) Change(axis, to_[axis]);
    return route_.Finish();
  }

 private:
  // Whether the target splits a slot by this axis but outer axes do not yet split that slot as in
  // the target.
  bool Misplaced(size_t axis) const {
    if (to_[axis].kind != Kind::kShard) return false;
    for (size_t outer = 0; outer < axis; ++outer) {
      const auto splits = [&](const Placement& p) {
        return p.kind == Kind::kShard && p.slot == to_[axis].slot;
      };
      if (splits(at_[outer]) != splits(to_[outer])) return true;
    }
    return false;
  }

  void Change(size_t axis, const Placement& to) {
    const Placement from = at_[axis];
    if (from == to) return;
    at_[axis] = to;
    const AxisList factors = FactorsOf(static_cast<int>(axis), mesh_);
    if (from.kind == Kind::kReplicate) return route_.Slice(to.slot, factors);
    if (from.kind == Kind::kPartial)
      return to.kind == Kind::kShard ? route_.ReduceScatter(factors, to.slot)
                                     : route_.AllReduce(factors);
    if (to.kind == Kind::kShard) return route_.AllToAll(from.slot, factors.size(), to.slot);
    route_.Gather(from.slot, factors.size());
  }

  const PrimeMesh& mesh_;
  std::vector<Placement> at_;
  const std::vector<Placement> to_;
  BaselineRoute route_;
};

bool InMeshOrder(const WholeAxes& axes) {
  return std::all_of(axes.order.begin(), axes.order.end(), [](const std::vector<int>& order) {
    return std::is_sorted(order.begin(), order.end());
  });
}

}  // namespace

Moves DtensorGreedyRoute(const RouteProblem& problem) {
  const auto from = WholeAxesOf(problem.from, problem.view.slots(), *problem.mesh);
  const auto to = WholeAxesOf(problem.to, problem.view.slots(), *problem.mesh);
  if (!from || !to || !InMeshOrder(*from) || !InMeshOrder(*to)) return std::nullopt;
  return GreedyWalk(problem, *from, *to).Run();
}

}  // namespace metadist
