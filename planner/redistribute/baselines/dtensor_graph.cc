// SPDX-License-Identifier: Apache-2.0
//
// Routes as PyTorch's DTensor plans them on request, or if an array dim is not split in mesh order.
//
// Idea: a state is the placement on every mesh dim and, for each array dim, the order of the mesh
// dims that split it. A step changes one mesh dim: the minor-most split of an array dim is gathered
// or moves behind those of another dim, a replicated one is split, a partial one is reduced.
// Dijkstra finds the least communication. There is no permute, no step of several axes and no bound
// on memory.
//
// Here a step costs the elements it receives, and at a tie the route with fewest steps wins;
// PyTorch prices with constants of its own (latency, bandwidth), so the number of steps has more
// weight on small arrays. Complexity: layouts of k whole axes over s slots, sum_k n!/(n-k)!
// C(k+s-1, s-1), times moves. Source: pytorch/pytorch, torch/distributed/tensor/_redistribute.py
// (read at commit 012e4b96), the graph-based transform; reimplemented from its description.
#include "planner/redistribute/baselines/baseline_route.h"
#include "planner/redistribute/baselines/baselines.h"
#include "planner/redistribute/baselines/move_costs.h"
#include "planner/redistribute/baselines/whole_axes.h"
#include "planner/redistribute/layout_search.h"

namespace metadist {
namespace {

// The moves from a layout that change one whole axis and that the problem allows.
class OneAxisMoves {
 public:
  OneAxisMoves(const RouteProblem& problem, const Layout& from)
      : problem_(problem), from_(from), at_(WholeAxesOf(from, slots(), *problem.mesh).value()) {
    for (size_t slot = 0; slot < slots(); ++slot)
      if (!at_.order[slot].empty()) OfMinorMost(slot);
    for (size_t axis = 0; axis < at_.placements.size(); ++axis) OfUnsplit(axis);
  }

  const std::vector<Move>& moves() const { return moves_; }

 private:
  size_t slots() const { return problem_.view.slots(); }

  template <typename Step>
  void Try(Step&& step) {
    BaselineRoute route(problem_, from_);
    step(route);
    if (!route.broken()) moves_.insert(moves_.end(), route.moves().begin(), route.moves().end());
  }

  void OfMinorMost(size_t slot) {
    const size_t factors = FactorsOf(at_.order[slot].back(), *problem_.mesh).size();
    for (size_t other = 0; other < slots(); ++other)
      if (other != slot) Try([&](BaselineRoute& route) { route.AllToAll(slot, factors, other); });
    Try([&](BaselineRoute& route) { route.Gather(slot, factors); });
  }

  void OfUnsplit(size_t axis) {
    const Placement& placement = at_.placements[axis];
    if (placement.kind == Placement::Kind::kShard) return;
    const bool partial = placement.kind == Placement::Kind::kPartial;
    const AxisList factors = FactorsOf(static_cast<int>(axis), *problem_.mesh);
    for (size_t slot = 0; slot < slots(); ++slot)
      Try([&](BaselineRoute& route) {
        partial ? route.ReduceScatter(factors, slot) : route.Slice(slot, factors);
      });
    if (partial) Try([&](BaselineRoute& route) { route.AllReduce(factors); });
  }

  const RouteProblem& problem_;
  const Layout& from_;
  const WholeAxes at_;
  std::vector<Move> moves_;
};

}  // namespace

Moves DtensorGraphRoute(const RouteProblem& problem) {
  const View& view = problem.view;
  for (const Layout& end : {problem.from, problem.to})
    if (!WholeAxesOf(end, view.slots(), *problem.mesh)) return std::nullopt;
  ElementCosts costs(problem.mesh->fine);
  LayoutSearch search;
  search.Offer({CollectiveKind::kSlice, {}, problem.from}, 0, 0, 0, -1);
  for (int id = search.Next(); id >= 0; id = search.Next()) {
    const LayoutSearch::Place at = search[id];
    if (at.move.to == problem.to) return search.MovesTo(id);
    const int64_t here = view.LargestElements(at.move.to);
    const OneAxisMoves next(problem, at.move.to);
    for (const Move& move : next.moves()) {
      const int64_t there = view.LargestElements(move.to);
      search.Offer(
          move, 0, at.cost + costs.Of(move.kind, move.axes, here, there), at.steps + 1, id);
    }
  }
  return std::nullopt;
}

}  // namespace metadist
