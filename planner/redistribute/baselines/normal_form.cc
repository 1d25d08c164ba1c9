// SPDX-License-Identifier: Apache-2.0
//
// Routes in normal form.
//
// Problem: the fewest bytes (or seconds) from one sharding to another, with no step larger than the
// larger end.
//
// Approaches: a search over all sequences of steps needs the memory bound in every state. Rink et
// al. prove that with prime factors as axes, a route within the bound can be rewritten so that
// slices come first, then steps that keep the volume, then gathers; such a route always observes
// the bound.
//
// Taken: two Dijkstra searches, one forward from the source through slices and then all-to-alls,
// one backward from the destination through gathers and then all-to-alls. They meet in a layout, or
// in two layouts of one block shape, which one permute connects. Reductions belong to the forward
// side: slices, all-to-alls, permutes and gathers commute with an elementwise reduction. The
// cheapest meeting wins; at a tie the one with fewest steps, then the first found.
//
// By size, layouts that differ only in which of several axes of one size cuts what are treated as
// one, and the permute restores the names: few layouts, for any number of axes. The cost of that
// route bounds the exact search, which skips everything that costs more (a tenth of the time on 5
// axes and 4 dims).
//
// Complexity: layouts of n axes over r slots, sum_k n!/(n-k)! C(k+r-1, r-1), times moves; by size
// n! shrinks to the orders of distinct sizes. Source: Rink, Paszke, Vytiniotis, Schmid,
// "Memory-efficient array redistribution through portable collective communication",
// arXiv:2112.01075; partial sums are our addition.
#include "planner/redistribute/baselines/normal_form.h"

#include <limits>
#include <map>
#include <optional>

#include "planner/redistribute/blocks.h"
#include "planner/redistribute/layout_search.h"

namespace metadist {
namespace {

constexpr uint8_t kFalling = 0;  // slices, or backward gathers
constexpr uint8_t kLevel = 1;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-9;

class NormalFormSearch {
 public:
  NormalFormSearch(const RouteProblem& problem, MoveCosts& costs, bool by_size)
      : problem_(problem),
        mesh_(problem.mesh->fine),
        costs_(costs),
        by_size_(by_size),
        target_elements_(Elements(problem.to)),
        forward_(Naming(by_size)),
        backward_(Naming(by_size)) {}

  // most: routes that cost more are skipped.
  Moves Run(double most = kNoLimit) {
    most_ = most;
    Explore(forward_, problem_.from, true);
    Explore(backward_, problem_.to, false);
    Meet();
    MeetByPermute();
    if (meeting_.forward < 0) return std::nullopt;
    return Route();
  }
  // Cost of the route that Run found.
  double cost() const { return meeting_.cost; }

 private:
  struct Meeting {
    double cost = kNoLimit;
    int steps = 0;
    int forward = -1;
    int backward = -1;
    bool permutes = false;
  };
  // The nearest place of each block shape.
  using Nearest = std::map<BlockShape, int>;

  LayoutSearch::Naming Naming(bool by_size) const {
    if (!by_size) return nullptr;
    const uint32_t frozen = problem_.rule().frozen;
    return [this, frozen](const Layout& layout) {
      return NamedBySize(problem_.view, mesh_, layout, frozen);
    };
  }

  int64_t Elements(const Layout& layout) const { return problem_.view.LargestElements(layout); }

  void Explore(LayoutSearch& search, const Layout& start, bool forward) {
    const MoveRule shrink = problem_.rule(
        Only(CollectiveKind::kSlice) | Only(CollectiveKind::kReduceScatter), by_size_);
    const MoveRule flat =
        problem_.rule(forward ? Only(CollectiveKind::kAllToAll) | Only(CollectiveKind::kAllReduce)
                              : Only(CollectiveKind::kAllToAll));
    search.Offer({CollectiveKind::kSlice, {}, start}, kFalling, 0, 0, -1);
    for (int id = search.Next(); id >= 0; id = search.Next()) {
      const LayoutSearch::Place at = search[id];
      const int64_t here = Elements(at.move.to);
      const auto offer = [&](const std::vector<Move>& moves, uint8_t phase) {
        for (const Move& move : moves) {
          const int64_t there = Elements(move.to);
          const double cost = forward ? costs_.Of(move.kind, move.axes, here, there)
                                      : costs_.Of(move.kind, move.axes, there, here);
          const double rest = forward ? costs_.AtLeast(there, target_elements_) : 0;
          if (at.cost + cost + rest > most_) continue;
          search.Offer(move, phase, at.cost + cost, at.steps + 1, id);
        }
      };
      if (at.phase == kFalling)
        offer(forward ? MovesFrom(problem_.view, mesh_, at.move.to, shrink)
                      : GathersTo(problem_.view, mesh_, at.move.to, shrink),
              kFalling);
      offer(MovesFrom(problem_.view, mesh_, at.move.to, flat), kLevel);
    }
  }

  void Offer(int forward, int backward, double cost, int steps, bool permutes) {
    if (std::tie(meeting_.cost, meeting_.steps) <= std::tie(cost, steps)) return;
    meeting_ = {cost, steps, forward, backward, permutes};
  }

  void Meet() {
    for (int f = 0; f < forward_.size(); ++f)
      for (uint8_t phase : {kFalling, kLevel}) {
        const int b = backward_.Find(forward_[f].move.to, phase);
        if (b < 0 || !(backward_[b].move.to == forward_[f].move.to)) continue;
        Offer(f,
              b,
              forward_[f].cost + backward_[b].cost,
              forward_[f].steps + backward_[b].steps,
              false);
      }
  }

  Nearest NearestOf(const LayoutSearch& search) const {
    Nearest nearest;
    for (int id = 0; id < search.size(); ++id) {
      const auto [at, added] =
          nearest.try_emplace(BlockShapeOf(problem_.view, mesh_, search[id].move.to), id);
      const LayoutSearch::Place& known = search[at->second];
      if (std::tie(search[id].cost, search[id].steps) < std::tie(known.cost, known.steps))
        at->second = id;
    }
    return nearest;
  }

  void MeetByPermute() {
    const Nearest ends = NearestOf(backward_);
    for (const auto& [shape, f] : NearestOf(forward_)) {
      const auto end = ends.find(shape);
      if (end == ends.end()) continue;
      const int b = end->second;
      Offer(f,
            b,
            forward_[f].cost + costs_.Permute(Elements(forward_[f].move.to)) + backward_[b].cost,
            forward_[f].steps + 1 + backward_[b].steps,
            true);
    }
  }

  std::vector<Move> Route() const {
    std::vector<Move> moves = forward_.MovesTo(meeting_.forward);
    if (meeting_.permutes)
      moves.push_back({CollectiveKind::kPermute, {}, backward_[meeting_.backward].move.to});
    // A move of the backward search leads to its parent's layout.
    for (int id = meeting_.backward; backward_[id].parent >= 0; id = backward_[id].parent) {
      Move move = backward_[id].move;
      move.to = backward_[backward_[id].parent].move.to;
      moves.push_back(move);
    }
    return moves;
  }

  const RouteProblem& problem_;
  const Mesh& mesh_;
  MoveCosts& costs_;
  const bool by_size_;
  const int64_t target_elements_;
  double most_ = kNoLimit;
  LayoutSearch forward_, backward_;
  Meeting meeting_;
};

}  // namespace

Moves NormalForm(const RouteProblem& problem, MoveCosts& costs, bool by_size) {
  NormalFormSearch rough(problem, costs, /*by_size=*/true);
  Moves moves = rough.Run();
  if (by_size) return moves;
  const double most = moves ? rough.cost() * (1 + kRounding) : kNoLimit;
  return NormalFormSearch(problem, costs, false).Run(most);
}

}  // namespace metadist
