// SPDX-License-Identifier: Apache-2.0
//
// Routes as XLA's SPMD partitioner plans them for GSPMD shardings.
//
// Idea: an array's sharding is a grid of tiles (a count for every dim, and the number of copies of
// the whole) with devices assigned to it. A list of patterns is tried; the first that fits is
// taken:
//   1. the same grid, devices in another order: a permute;
//   2. the same number of tiles, and the changed counts are a reordering of each other: all-to-all
//      between pairs of dims, then a permute if devices are in another order;
//   3. the source has copies and the target's counts are multiples: slices, then a permute if
//      devices are in another order; or, if dim 0 is not cut and the device order stays, an
//      all-to-all first;
//   4. the target has copies: the mirror of 3 with gathers;
//   5. one dim's tiles move to another dim that keeps its own (only with the later patterns); a dim
//      with as many tiles as the target has copies is gathered first; the source's copies are used
//      up first;
//   6. gather all, then slice: "involuntary full rematerialization".
// The patterns are not compared by cost. Partial sums are not part of a grid: they are reduced
// first.
//
// With the later patterns, elements received equal those of programs that XLA compiles (jaxlib
// 0.10.2) for all pairs with axes in mesh order of 16x16 on 2x2x2 and of 16x16x16 on 4x2; for
// 32x32x32 on 2x2x4, XLA has other routes for 13 of 150 pairs, which receive less.
//
// Here a grid is a list of axis factors for every slot and one for the copies, whose order is that
// in which copies are numbered. A count that ends within a factor cannot be expressed; its pattern
// is then skipped. If XLA pads, there is no route. Complexity: patterns times dims squared. Source:
// openxla/xla, xla/service/spmd/spmd_partitioner.cc and spmd_partitioner_util.cc (read at commit
// 001918b7); reimplemented from its description.
#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "planner/redistribute/baselines/baseline_route.h"
#include "planner/redistribute/baselines/baselines.h"

namespace metadist {
namespace {

using Axes = std::vector<int>;

struct Grid {
  std::vector<Axes> dims;  // by slot
  Axes copies;

  // Ignores the numbering of copies.
  bool operator==(const Grid& other) const { return dims == other.dims; }
  bool whole() const { return std::ranges::all_of(dims, std::ranges::empty); }
  bool repeated() const { return !copies.empty() && !whole(); }
};

bool StartsWith(const Axes& axes, const Axes& start) {
  return axes.size() >= start.size() && std::equal(start.begin(), start.end(), axes.begin());
}

class PatternMatcher {
 public:
  PatternMatcher(const RouteProblem& problem, bool later_patterns)
      : problem_(&problem),
        mesh_(&problem.mesh->fine),
        later_patterns_(later_patterns),
        route_(problem) {
    route_.ReduceAll();
    at_ = GridOf(route_.at());
  }

  Moves Run() {
    Reshard(GridOf(problem_->to), true);
    return route_.Finish();
  }

 private:
  Grid GridOf(const Layout& layout) const {
    Grid grid;
    for (const AxisList& axes : layout.AxesOfAll(problem_->view.slots()))
      grid.dims.push_back(axes.ids());
    for (size_t axis = 0; axis < mesh_->axes.size(); ++axis)
      if (mesh_->axes[axis].size > 1 && layout.free(static_cast<int>(axis)))
        grid.copies.push_back(static_cast<int>(axis));
    return grid;
  }

  int64_t Count(const Axes& axes) const { return mesh_->size(axes); }

  // Number of axes at the end of `axes` that make `count` pieces; nullopt: there is none.
  std::optional<size_t> MinorMost(const Axes& axes, int64_t count) const {
    int64_t made = 1;
    size_t length = 0;
    for (; made < count && length < axes.size(); ++length)
      made *= mesh_->size(axes[axes.size() - 1 - length]);
    return made == count ? std::optional(length) : std::nullopt;
  }

  // Removes the first axes that make `count` pieces from `axes` and returns them.
  std::optional<Axes> Take(Axes& axes, int64_t count) const {
    Axes taken;
    for (size_t i = 0; i < axes.size();) {
      const int64_t size = mesh_->size(axes[i]);
      if (count % size != 0) {
        ++i;
        continue;
      }
      count /= size;
      taken.push_back(axes[i]);
      axes.erase(axes.begin() + static_cast<long>(i));
    }
    if (count != 1) return std::nullopt;
    return taken;
  }

  // Nothing moves if the dims have these axes already.
  void Permute(const Grid& target) {
    Layout to = route_.at();
    for (const Axes& axes : at_.dims) to.Free(AxisList(axes));
    for (size_t d = 0; d < target.dims.size(); ++d) to.Append(d, AxisList(target.dims[d]));
    route_.Permute(to);
    at_ = target;
  }

  // Moves the minor-most axes of one dim behind those of another.
  void AllToAll(size_t from, size_t length, size_t to) {
    Axes& source = at_.dims[from];
    route_.AllToAll(from, length, to);
    at_.dims[to].insert(at_.dims[to].end(), source.end() - static_cast<long>(length), source.end());
    source.resize(source.size() - length);
  }

  // Moves the minor part of a dim's tiles, so that it has `count` times fewer. If the factors do
  // not match that, the dim is reordered first, with the axes that the target requires in `to` at
  // its end.
  bool MoveTiles(size_t from, size_t to, int64_t count, const Grid& target) {
    if (!MinorMost(at_.dims[from], count)) {
      Axes rest = at_.dims[from];
      std::ranges::stable_partition(rest, [&wanted = target.dims[to]](int axis) {
        return std::ranges::find(wanted, axis) != wanted.end();
      });
      const auto moved = Take(rest, count);
      if (!moved) return false;
      Grid grid = at_;
      grid.dims[from] = rest;
      grid.dims[from].insert(grid.dims[from].end(), moved->begin(), moved->end());
      Permute(grid);
    }
    AllToAll(from, *MinorMost(at_.dims[from], count), to);
    return true;
  }

  // Reshards to `target`. Returns false, without a step, if that needs copies of the whole array
  // and `full` is false.
  bool Reshard(const Grid& target, bool full) {
    if (at_ == target) {
      at_ = target;
      return true;
    }
    const PatternMatcher start = *this;
    const auto tried = [&](bool fits) {
      if (!fits) *this = start;
      return fits;
    };
    if (tried(Reorder(target)) || tried(SwapCounts(target))) return true;
    if (at_.repeated() && !target.whole() &&
        (tried(SliceCopies(target)) || tried(ShiftThenSlice(target))))
      return true;
    if (target.repeated() && !at_.whole() &&
        (tried(GatherCopies(target)) || tried(GatherThenShift(target))))
      return true;
    if (!at_.whole() && !target.whole()) {
      if (tried(InTwo(target))) return true;
      if (!full) return false;
    }
    GatherTo(Grid{std::vector<Axes>(at_.dims.size()), {}});
    SliceTo(target);
    return true;
  }

  void SliceTo(const Grid& target) {
    for (size_t d = 0; d < at_.dims.size(); ++d)
      route_.Slice(d, AxisList(target.dims[d]).From(at_.dims[d].size()));
    at_ = target;
  }

  void GatherTo(const Grid& target) {
    for (size_t d = 0; d < at_.dims.size(); ++d)
      route_.Gather(d, at_.dims[d].size() - target.dims[d].size());
    at_ = target;
  }

  // Pattern 1.
  bool Reorder(const Grid& target) {
    if (at_.whole() || target.whole()) return false;
    for (size_t d = 0; d < at_.dims.size(); ++d)
      if (Count(at_.dims[d]) != Count(target.dims[d])) return false;
    Permute(target);
    return true;
  }

  // Pattern 2. Swaps the counts of two dims at a time, beginning at the least count.
  bool SwapCounts(const Grid& target) {
    std::vector<int64_t> wanted;
    std::map<int64_t, std::vector<size_t>> open;  // dims whose count changes, by their count
    std::map<int64_t, size_t> missing;
    for (size_t d = 0; d < at_.dims.size(); ++d) {
      wanted.push_back(Count(target.dims[d]));
      const int64_t count = Count(at_.dims[d]);
      if (count == wanted[d]) continue;
      open[count].push_back(d);
      ++missing[wanted[d]];
    }
    if (open.empty() || open.size() != missing.size()) return false;
    for (const auto& [count, dims] : open)
      if (missing[count] != dims.size()) return false;
    while (!open.empty()) {
      const auto [count, dims] = *open.begin();
      const size_t to = dims.back();
      open.begin()->second.pop_back();
      if (open.begin()->second.empty()) open.erase(open.begin());
      if (wanted[to] == count) continue;
      if (wanted[to] % count != 0) return false;
      std::vector<size_t>& sources = open[wanted[to]];
      // A dim that can be used after the swap: one that is cut in the target, or reaches its target
      // count.
      const auto useful = [&](size_t dim) {
        return count == 1 ? wanted[dim] != 1 : wanted[dim] == count;
      };
      auto from = std::find_if(sources.begin(), sources.end(), useful);
      if (from == sources.end()) --from;
      const size_t source = *from;
      if (!MoveTiles(source, to, wanted[to] / count, target)) return false;
      sources.erase(from);
      if (sources.empty()) open.erase(wanted[to]);
      open[count].push_back(source);
    }
    Permute(target);
    return true;
  }

  // The grid with the counts of `finer` of which the tiles of `repeated` are unions: `finer` itself
  // if it is nested; otherwise copies are assigned to the dims in order.
  std::optional<Grid> Refined(const Grid& repeated, const Grid& finer) const {
    bool nested = true;
    for (size_t d = 0; d < repeated.dims.size(); ++d) {
      if (Count(finer.dims[d]) % Count(repeated.dims[d]) != 0) return std::nullopt;
      nested &= StartsWith(finer.dims[d], repeated.dims[d]);
    }
    if (nested) return finer;
    Grid grid = repeated;
    for (size_t d = 0; d < grid.dims.size(); ++d) {
      const auto taken = Take(grid.copies, Count(finer.dims[d]) / Count(repeated.dims[d]));
      if (!taken) return std::nullopt;
      grid.dims[d].insert(grid.dims[d].end(), taken->begin(), taken->end());
    }
    return grid;
  }

  // Pattern 3.
  bool SliceCopies(const Grid& target) {
    const auto middle = Refined(at_, target);
    if (!middle) return false;
    SliceTo(*middle);
    Permute(target);
    return true;
  }

  // Pattern 4.
  bool GatherCopies(const Grid& target) {
    const auto middle = Refined(target, at_);
    if (!middle) return false;
    Permute(*middle);
    GatherTo(target);
    return true;
  }

  // The grid between [1, a, b] with r copies and [a, b, r] with the same device order: [a, b, 1]
  // with r copies.
  std::optional<Grid> Shifted(const Grid& repeated, const Grid& tiled) const {
    if (!repeated.repeated() || !tiled.copies.empty() || !repeated.dims[0].empty())
      return std::nullopt;
    const size_t last = tiled.dims.size() - 1;
    for (size_t d = 0; d <= last; ++d)
      if (tiled.dims[d] != (d < last ? repeated.dims[d + 1] : repeated.copies)) return std::nullopt;
    Grid grid = tiled;
    std::swap(grid.dims[last], grid.copies);
    return grid;
  }

  bool ShiftThenSlice(const Grid& target) {
    const auto middle = Shifted(at_, target);
    return middle && SwapCounts(*middle) && Reshard(target, true);
  }

  bool GatherThenShift(const Grid& target) {
    const auto middle = Shifted(target, at_);
    return middle && Reshard(*middle, true) && SwapCounts(target);
  }

  // Pattern 5: through another grid, from which the rest must not need a copy of the whole array.
  bool InTwo(const Grid& target) {
    if (!later_patterns_) return false;
    if (const auto transfer = FindTransfer(target)) {
      const auto& [from, to, count] = *transfer;
      return MoveTiles(from, to, count, target) && Reshard(target, false);
    }
    const auto middle = at_.repeated() ? WithoutCopies(target) : WithCopies(target);
    return middle && Reshard(*middle, true) && Reshard(target, false);
  }

  struct Transfer {
    size_t from, to;
    int64_t count;
  };

  // A dim whose count falls by the factor by which that of another grows; preferably one that
  // becomes whole.
  std::optional<Transfer> FindTransfer(const Grid& target) const {
    if (Count(at_.copies) != Count(target.copies)) return std::nullopt;
    std::optional<Transfer> found;
    for (size_t from = 0; from < at_.dims.size(); ++from)
      for (size_t to = 0; to < at_.dims.size(); ++to) {
        const int64_t count = Count(at_.dims[from]) / Count(target.dims[from]);
        if (count <= 1 || Count(at_.dims[from]) != Count(target.dims[from]) * count ||
            Count(target.dims[to]) != Count(at_.dims[to]) * count)
          continue;
        if (target.dims[from].empty()) return Transfer{from, to, count};
        if (!found) found = Transfer{from, to, count};
      }
    return found;
  }

  std::optional<Grid> WithCopies(const Grid& target) const {
    if (!target.repeated()) return std::nullopt;
    for (size_t d = 0; d < at_.dims.size(); ++d) {
      if (Count(at_.dims[d]) != Count(target.copies)) continue;
      Grid grid = at_;
      grid.copies = std::exchange(grid.dims[d], {});
      return grid;
    }
    return std::nullopt;
  }

  std::optional<Grid> WithoutCopies(const Grid& target) const {
    if (target.repeated()) return std::nullopt;
    for (size_t d = 0; d < at_.dims.size(); ++d) {
      if (!at_.dims[d].empty() || target.dims[d].empty()) continue;
      if (Count(target.dims[d]) % Count(at_.copies) != 0) continue;
      Grid grid = at_;
      std::swap(grid.dims[d], grid.copies);
      return grid;
    }
    return std::nullopt;
  }

  const RouteProblem* problem_;
  const Mesh* mesh_;
  bool later_patterns_;
  BaselineRoute route_;
  Grid at_;
};

}  // namespace

Moves XlaRoute(const RouteProblem& problem) {
  return PatternMatcher(problem, /*later_patterns=*/false).Run();
}

Moves LaterXlaRoute(const RouteProblem& problem) {
  return PatternMatcher(problem, /*later_patterns=*/true).Run();
}

}  // namespace metadist
