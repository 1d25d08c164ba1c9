// SPDX-License-Identifier: Apache-2.0
//
// Routes as Shardy's reshard-to-collectives pass plans them.
//
// Idea: the axes that both ends have in common at the start of a dim stay; the rest of the source's
// axes (in) must become the rest of the destination's (out). At most two rounds of four steps, each
// only if it helps:
//   slice     axes that only out has: at their final position, or in front of an all-to-all that
//             takes them there, or in any dim that out cuts further than in;
//   permute   if the axes of some dim are at positions of others, or in an order that all-to-alls
//             cannot change: as many out axes as fit their positions, the others kept together at
//             the back, axes that will be gathered in front of them;
//   a2a       minor-most axes of a dim that all belong to one other dim, first those that reach
//             their final position, then any;
//   gather    minor-most axes that out lacks.
// The capacity of a dim limits how far it may be sliced: out pieces / gcd(in pieces, out pieces).
// An axis larger than the remaining capacity is split into sub-axes. The volume never exceeds the
// larger end. Partial sums that the destination does not keep are reduced first.
//
// Here an axis is a run of factors of one mesh axis. If the pass would split within a factor, or
// leave uneven pieces, there is no route. Complexity: rounds times dims times axes squared. Source:
// openxla/shardy, reshard_to_collectives.cc (read at commit a0277a83); reimplemented from its
// description.
#include <algorithm>
#include <numeric>
#include <ranges>
#include <set>

#include "planner/redistribute/baselines/baseline_route.h"
#include "planner/redistribute/baselines/baselines.h"

namespace metadist {
namespace {

// Neighbouring factors of one mesh axis.
struct Run {
  int first = 0;
  int length = 0;
  bool operator==(const Run&) const = default;
};
using Runs = std::vector<Run>;

struct Place {
  size_t dim = 0;
  size_t index = 0;
};

class Resharder {
 public:
  explicit Resharder(const RouteProblem& problem)
      : mesh_(*problem.mesh), view_(problem.view), route_(problem) {
    route_.ReduceAll();
    for (size_t d = 0; d < view_.slots(); ++d) {
      in_.push_back(RunsOf(problem.from.AxesOf(d)));
      out_.push_back(RunsOf(problem.to.AxesOf(d)));
    }
    Align();
    for (size_t d = 0; d < view_.slots(); ++d) DropCommonStart(d);
  }

  Moves Go() {
    for (int round = 0; round < 2 && !Done(); ++round) {
      Slices();
      if (WantsPermute()) Permute();
      AllToAlls(true);
      AllToAlls(false);
      Gathers();
    }
    return split_factor_ ? std::nullopt : route_.Finish();
  }

 private:
  size_t dims() const { return in_.size(); }

  bool Done() const {
    return std::ranges::all_of(in_, std::ranges::empty) &&
           std::ranges::all_of(out_, std::ranges::empty);
  }

  Runs RunsOf(const AxisList& axes) const {
    Runs runs;
    for (uint8_t axis : axes) {
      if (!runs.empty() && runs.back().first + runs.back().length == axis &&
          mesh_.AxisOf(axis) == mesh_.AxisOf(runs.back().first))
        ++runs.back().length;
      else
        runs.push_back({axis, 1});
    }
    return runs;
  }

  static AxisList AxesOf(const Runs& runs) {
    AxisList axes;
    for (const Run& run : runs)
      for (int i = 0; i < run.length; ++i) axes.Add(run.first + i);
    return axes;
  }

  int64_t Size(const Run& run) const { return AxesOf({run}).Pieces(mesh_.fine); }
  int64_t Size(const Runs& runs) const { return AxesOf(runs).Pieces(mesh_.fine); }

  // Splits runs until any two are equal or disjoint.
  void Align() {
    std::set<int> bounds;
    for (const auto* side : {&in_, &out_})
      for (const Runs& runs : *side)
        for (const Run& run : runs) bounds.insert({run.first, run.first + run.length});
    for (auto* side : {&in_, &out_})
      for (Runs& runs : *side) {
        Runs split;
        for (const Run& run : runs) {
          split.push_back({run.first, 0});
          for (int i = run.first; i < run.first + run.length; ++i) {
            if (i > run.first && bounds.count(i) > 0) split.push_back({i, 0});
            ++split.back().length;
          }
        }
        runs = std::move(split);
      }
  }

  void DropCommonStart(size_t d) {
    size_t common = 0;
    while (common < in_[d].size() && common < out_[d].size() && in_[d][common] == out_[d][common])
      ++common;
    in_[d].erase(in_[d].begin(), in_[d].begin() + static_cast<long>(common));
    out_[d].erase(out_[d].begin(), out_[d].begin() + static_cast<long>(common));
  }

  static std::optional<Place> Find(const std::vector<Runs>& side, const Run& run) {
    for (size_t d = 0; d < side.size(); ++d)
      for (size_t i = 0; i < side[d].size(); ++i)
        if (side[d][i] == run) return Place{d, i};
    return std::nullopt;
  }
  bool InIn(const Run& run) const { return Find(in_, run).has_value(); }
  std::optional<Place> InOut(const Run& run) const { return Find(out_, run); }

  static bool Divisible(int64_t a, int64_t b) { return a % b == 0 || b % a == 0; }

  // The start of a run that fits a capacity, and the rest of the run (length 0: nothing).
  struct Taken {
    Run run, rest;
  };
  std::optional<Taken> Take(const Run& run, int64_t& capacity) {
    const int64_t size = Size(run);
    if (capacity <= 1 || !Divisible(size, capacity)) return std::nullopt;
    if (capacity >= size) {
      capacity /= size;
      return Taken{run, {}};
    }
    Run start{run.first, 0};
    while (Size(start) < capacity) ++start.length;
    split_factor_ |= Size(start) != capacity;
    capacity = 1;
    return Taken{start, {run.first + start.length, run.length - start.length}};
  }

  // Assigns runs to the dims with capacity for them, behind or in front of their in axes. pool(d):
  // the runs available to dim d. Returns the runs that each dim took.
  template <typename Pool>
  std::vector<Runs> Distribute(std::vector<int64_t>& capacity, bool in_front, Pool&& pool) {
    std::vector<Runs> taken(dims());
    for (size_t d = 0; d < dims(); ++d) {
      Runs& available = pool(d);
      for (size_t i = 0; i < available.size() && capacity[d] > 1;) {
        const auto part = Take(available[i], capacity[d]);
        if (!part) {
          ++i;
          continue;
        }
        available.erase(available.begin() + static_cast<long>(i));
        taken[d].push_back(part->run);
        if (part->rest.length > 0) available.insert(available.begin(), part->rest);
      }
      in_[d].insert(in_front ? in_[d].begin() : in_[d].end(), taken[d].begin(), taken[d].end());
    }
    Align();
    return taken;
  }

  // --- slice

  void Slices() {
    std::vector<int64_t> capacity(dims());
    for (size_t d = 0; d < dims(); ++d)
      capacity[d] = Size(out_[d]) / std::gcd(Size(in_[d]), Size(out_[d]));
    std::vector<Runs> sliced(dims());
    for (size_t d = 0; d < dims(); ++d) SliceAhead(d, capacity, sliced);
    Runs left;
    for (size_t d = 0; d < dims(); ++d) SliceInPlace(d, capacity[d], sliced[d], left);
    const auto elsewhere = Distribute(capacity, false, [&](size_t) -> Runs& { return left; });
    for (size_t d = 0; d < dims(); ++d) {
      sliced[d].insert(sliced[d].end(), elsewhere[d].begin(), elsewhere[d].end());
      route_.Slice(d, AxesOf(sliced[d]));
    }
  }

  // Slices dim d by axes that an all-to-all will move to another dim together with those of d.
  void SliceAhead(size_t d, std::vector<int64_t>& capacity, std::vector<Runs>& sliced) {
    if (in_[d].empty() || !out_[d].empty()) return;
    const auto last = InOut(in_[d].back());
    if (!last || !in_[last->dim].empty()) return;
    const Runs& goal = out_[last->dim];
    Runs free;
    for (size_t i = last->index + 1; i < goal.size() && !InIn(goal[i]); ++i)
      free.push_back(goal[i]);
    if (free.empty()) return;
    // The end of in that moves along, if nothing before it moves to the same dim out of order.
    size_t along = 0;
    while (along < in_[d].size() && along <= last->index &&
           in_[d][in_[d].size() - 1 - along] == goal[last->index - along])
      ++along;
    const Runs moved(in_[d].end() - static_cast<long>(along), in_[d].end());
    for (size_t i = 0; i + along < in_[d].size(); ++i)
      if (const auto place = InOut(in_[d][i]); place && place->dim == last->dim) return;
    const int64_t pieces = route_.at().AxesOf(d).Pieces(mesh_.fine) * Size(free);
    for (int64_t size : view_.sizes(d))
      if (size % pieces != 0) return;
    capacity[last->dim] /= Size(moved) * Size(free);
    in_[d].insert(in_[d].end(), free.begin(), free.end());
    sliced[d] = free;
  }

  // Slices dim d by its out axes that are nowhere in in; axes that do not fit are left over.
  void SliceInPlace(size_t d, int64_t& capacity, Runs& sliced, Runs& left) {
    for (size_t i = 0; i < out_[d].size();) {
      const Run run = out_[d][i];
      if (InIn(run)) {
        ++i;
        continue;
      }
      const auto part = Take(run, capacity);
      if (!part) {
        left.push_back(run);
        ++i;
        continue;
      }
      sliced.push_back(part->run);
      const bool in_place = in_[d].empty() && i == 0;
      out_[d].erase(out_[d].begin() + static_cast<long>(i));
      if (!in_place) {
        in_[d].push_back(part->run);
        out_[d].insert(out_[d].begin() + static_cast<long>(i++), part->run);
      }
      if (part->rest.length > 0) {
        out_[d].insert(out_[d].begin() + static_cast<long>(i++), part->rest);
        left.push_back(part->rest);
      }
    }
  }

  // --- permute

  bool WantsPermute() const {
    std::optional<Run> to_add, to_drop;
    for (size_t d = 0; d < dims(); ++d) {
      if (!in_[d].empty() && !out_[d].empty() &&
          Divisible(Size(in_[d].front()), Size(out_[d].front())))
        return true;
      for (const Run& run : out_[d])
        if (!InIn(run)) to_add = run;
      if (OutOfOrder(d)) return true;
      for (const Run& run : in_[d])
        if (!InOut(run)) to_drop = run;
    }
    return to_add && to_drop && Divisible(Size(*to_add), Size(*to_drop));
  }

  // Whether runs of dim d that move to one dim are apart or in another order there, or a run that
  // will be gathered is behind one that moves to another dim.
  bool OutOfOrder(size_t d) const {
    std::optional<Place> last;
    std::set<size_t> seen;
    for (const Run& run : in_[d]) {
      const auto place = InOut(run);
      if (place) {
        const bool follows = last && last->dim == place->dim && place->index == last->index + 1;
        if ((place->dim == d || seen.count(place->dim) > 0) && !follows) return true;
        seen.insert(place->dim);
      } else if (last && out_[d].empty()) {
        return true;
      }
      last = place;
    }
    return false;
  }

  void Permute() {
    const std::vector<Runs> goal = out_;
    std::vector<int64_t> capacity(dims());
    std::vector<Runs> drops(dims());
    Layout to = route_.at();
    std::vector<Runs> now(dims());
    for (size_t d = 0; d < dims(); ++d) {
      capacity[d] = Size(in_[d]);
      to.Free(AxesOf(in_[d]));
    }
    Runs waiting;
    for (size_t d = 0; d < dims(); ++d) {
      const int64_t whole = capacity[d];
      now[d] = TakeFirst(out_[d], capacity[d]);  // in place of runs of in
      waiting.insert(waiting.end(), out_[d].begin(), out_[d].end());
      drops[d] = Drops(d, goal, whole / capacity[d]);
    }
    for (Runs& runs : in_) runs.clear();
    Distribute(capacity, false, [&](size_t) -> Runs& { return waiting; });
    Distribute(capacity, true, [&](size_t d) -> Runs& { return drops[d]; });
    Runs rest;
    for (const Runs& runs : drops) rest.insert(rest.end(), runs.begin(), runs.end());
    Distribute(capacity, true, [&](size_t) -> Runs& { return rest; });
    for (size_t d = 0; d < dims(); ++d) {
      to.Append(d, AxesOf(now[d]));
      to.Append(d, AxesOf(in_[d]));
    }
    route_.Permute(to);
  }

  // Removes the runs at the start that fit a capacity, and returns them.
  Runs TakeFirst(Runs& runs, int64_t& capacity) {
    Runs taken;
    while (capacity > 1 && !runs.empty()) {
      const auto part = Take(runs.front(), capacity);
      if (!part) break;
      runs.erase(runs.begin());
      taken.push_back(part->run);
      if (part->rest.length > 0) runs.insert(runs.begin(), part->rest);
    }
    return taken;
  }

  // The runs of in that out lacks; those that were replaced come last.
  Runs Drops(size_t d, const std::vector<Runs>& goal, int64_t filled) {
    Runs kept;
    for (const Run& run : in_[d])
      if (!Find(goal, run)) kept.push_back(run);
    const Runs replaced = TakeFirst(kept, filled);
    kept.insert(kept.end(), replaced.begin(), replaced.end());
    return kept;
  }

  // --- all-to-all, gather

  void AllToAlls(bool in_place) {
    for (size_t d = 0; d < dims(); ++d)
      while (MoveSuffix(d, in_place)) continue;
  }

  // Moves the longest end of in that goes to one other dim; in_place: only if out of that dim
  // starts with it.
  bool MoveSuffix(size_t d, bool in_place) {
    std::optional<size_t> to;
    size_t count = 0;
    for (; count < in_[d].size(); ++count) {
      const auto place = InOut(in_[d][in_[d].size() - 1 - count]);
      if (!place || place->dim == d || (to && place->dim != *to)) break;
      to = place->dim;
    }
    if (!to) return false;
    const Runs moved(in_[d].end() - static_cast<long>(count), in_[d].end());
    Runs& goal = out_[*to];
    if (in_place && (goal.size() < count || !std::equal(moved.begin(), moved.end(), goal.begin())))
      return false;
    in_[d].resize(in_[d].size() - count);
    for (const Run& run : moved) {
      if (in_[*to].empty() && goal.front() == run)
        goal.erase(goal.begin());
      else
        in_[*to].push_back(run);
    }
    route_.AllToAll(d, AxesOf(moved).size(), *to);
    return true;
  }

  void Gathers() {
    for (size_t d = 0; d < dims(); ++d) {
      size_t factors = 0;
      while (!in_[d].empty() && !InOut(in_[d].back())) {
        factors += static_cast<size_t>(in_[d].back().length);
        in_[d].pop_back();
      }
      route_.Gather(d, factors);
    }
  }

  const PrimeMesh& mesh_;
  const View& view_;
  BaselineRoute route_;
  std::vector<Runs> in_, out_;  // by dim: axes to remove, and axes to add
  bool split_factor_ = false;
};

}  // namespace

Moves ShardyRoute(const RouteProblem& problem) { return Resharder(problem).Go(); }

}  // namespace metadist
