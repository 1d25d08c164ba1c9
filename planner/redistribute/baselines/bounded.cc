// SPDX-License-Identifier: Apache-2.0
//
// Routes within the memory bound, in any order of steps.
//
// If a dim has no room to slice ahead, some other order is cheaper than the normal form, or two
// permutes are needed. One Dijkstra over all layouts that hold at most most_elements() finds such
// routes. A permute connects all layouts of a block shape: the first of a shape to settle is the
// nearest, and leads to all others. By size (normal_form.h), the search ends in a layout with the
// destination's sizes, and a last permute restores the names. Complexity: like normal_form.cc,
// without phases.
#include <optional>
#include <set>

#include "planner/redistribute/baselines/normal_form.h"
#include "planner/redistribute/blocks.h"
#include "planner/redistribute/layout_search.h"

namespace metadist {

Moves Bounded(const RouteProblem& problem, MoveCosts& costs, bool by_size) {
  const View& view = problem.view;
  const Mesh& mesh = problem.mesh->fine;
  const MoveRule rule = problem.rule(kAllMoves, by_size);
  const int64_t most = problem.most_elements();
  LayoutSearch::Naming naming;
  if (by_size)
    naming = [&](const Layout& layout) { return NamedBySize(view, mesh, layout, rule.frozen); };
  LayoutSearch search(naming);
  std::set<BlockShape> permuted;
  search.Offer({CollectiveKind::kSlice, {}, problem.from}, 0, 0, 0, -1);
  const Layout target = naming ? naming(problem.to) : problem.to;
  for (int id = search.Next(); id >= 0; id = search.Next()) {
    const LayoutSearch::Place at = search[id];
    if ((naming ? naming(at.move.to) : at.move.to) == target) {
      std::vector<Move> moves = search.MovesTo(id);
      if (!(at.move.to == problem.to)) moves.push_back({CollectiveKind::kPermute, {}, problem.to});
      return moves;
    }
    const int64_t here = view.LargestElements(at.move.to);
    for (const Move& move : MovesFrom(view, mesh, at.move.to, rule)) {
      const int64_t there = view.LargestElements(move.to);
      if (there > most) continue;
      search.Offer(
          move, 0, at.cost + costs.Of(move.kind, move.axes, here, there), at.steps + 1, id);
    }
    if (!permuted.insert(BlockShapeOf(view, mesh, at.move.to)).second) continue;
    const double cost = at.cost + costs.Permute(here);
    for (const Layout& other : LayoutsOf(view, mesh, at.move.to, rule, by_size))
      search.Offer({CollectiveKind::kPermute, {}, other}, 0, cost, at.steps + 1, id);
  }
  return std::nullopt;
}

}  // namespace metadist
