// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/moves.h"

#include <algorithm>
#include <set>

namespace metadist {
namespace {

// With more partial axes there are too many subsets to try.
constexpr size_t kMostSubsetAxes = 6;

class Generator {
 public:
  Generator(const View& view, const Mesh& mesh, const Layout& from, const MoveRule& rule)
      : view_(view),
        mesh_(mesh),
        from_(from),
        rule_(rule),
        axes_(from.AxesOfAll(view.slots())),
        pieces_(axes_.size()) {
    for (size_t s = 0; s < axes_.size(); ++s) pieces_[s] = axes_[s].Pieces(mesh);
  }

  std::vector<Move> Moves() {
    if (Wants(CollectiveKind::kSlice)) Slices();
    if (Wants(CollectiveKind::kAllToAll) || Wants(CollectiveKind::kAllGather))
      for (size_t s = 0; s < axes_.size(); ++s) MovesOfSuffixes(s);
    if (Wants(CollectiveKind::kReduceScatter) || Wants(CollectiveKind::kAllReduce))
      MovesOfPartials();
    return std::move(moves_);
  }

  std::vector<Move> InverseGathers() {
    for (size_t s = 0; s < axes_.size(); ++s) Extend(CollectiveKind::kAllGather, s, {}, 1);
    return std::move(moves_);
  }

 private:
  bool Wants(CollectiveKind kind) const { return (rule_.kinds & Only(kind)) != 0; }

  bool Frozen(int axis) const { return (rule_.frozen >> axis & 1) != 0; }

  // Whether a slot cut in `pieces` can be cut further.
  bool Fits(size_t slot, int64_t pieces, int64_t added) const {
    return CanCut(view_.sizes(slot), pieces, added, rule_.even);
  }

  Layout Appended(Layout layout, size_t slot, const AxisList& axes) const {
    layout.Append(slot, axes);
    return layout;
  }

  void Emit(CollectiveKind kind, const AxisList& axes, const Layout& to) {
    moves_.push_back({kind, axes, to});
  }

  void Slices() {
    for (size_t s = 0; rule_.grouped && s < axes_.size(); ++s)
      Extend(CollectiveKind::kSlice, s, {}, 1);
    const int axes = rule_.grouped ? 0 : static_cast<int>(mesh_.axes.size());
    for (int axis = 0; axis < axes; ++axis) {
      if (!from_.free(axis) || Frozen(axis) || mesh_.size(axis) == 1) continue;
      for (size_t s = 0; s < axes_.size(); ++s)
        if (Fits(s, pieces_[s], mesh_.size(axis)))
          Emit(CollectiveKind::kSlice, AxisList(axis), Appended(from_, s, AxisList(axis)));
    }
  }

  // Gathers or moves the minor-most axes of a slot, one and more.
  void MovesOfSuffixes(size_t slot) {
    const AxisList& axes = axes_[slot];
    int64_t moved = 1;
    for (size_t keep = axes.size(); keep-- > 0;) {
      if (Frozen(axes[keep])) return;
      moved *= mesh_.size(axes[keep]);
      if (!Fits(slot, pieces_[slot] / moved, moved)) continue;
      const AxisList suffix = axes.From(keep);
      Layout without = from_;
      without.Free(suffix);
      for (size_t other = 0; Wants(CollectiveKind::kAllToAll) && other < axes_.size(); ++other)
        if (other != slot && Fits(other, pieces_[other], moved))
          Emit(CollectiveKind::kAllToAll, suffix, Appended(without, other, suffix));
      if (Wants(CollectiveKind::kAllGather)) Emit(CollectiveKind::kAllGather, suffix, without);
    }
  }

  // The sets of partial axes that one step may reduce.
  std::vector<AxisList> Reducible() const {
    AxisList all;
    for (int axis = 0; axis < static_cast<int>(mesh_.axes.size()); ++axis)
      if (from_.PartialOf(axis) && !Frozen(axis)) all.Add(axis);
    std::vector<AxisList> groups;
    if (rule_.grouped && all.size() <= kMostSubsetAxes) {
      for (uint32_t set = 1; set < uint32_t{1} << all.size(); ++set) {
        AxisList axes;
        for (size_t i = 0; i < all.size(); ++i)
          if ((set >> i & 1) != 0) axes.Add(all[i]);
        groups.push_back(axes);
      }
      return groups;
    }
    for (uint8_t axis : all) groups.push_back(AxisList(axis));
    if (all.size() > 1) groups.push_back(all);
    return groups;
  }

  void MovesOfPartials() {
    const std::vector<AxisList> groups = Reducible();
    for (const AxisList& axes : groups) {
      Layout reduced = from_;
      reduced.Free(axes);
      for (size_t s = 0; Wants(CollectiveKind::kReduceScatter) && s < axes_.size(); ++s)
        if (Fits(s, pieces_[s], axes.Pieces(mesh_)))
          Emit(CollectiveKind::kReduceScatter, axes, Appended(reduced, s, axes));
      if (Wants(CollectiveKind::kAllReduce)) Emit(CollectiveKind::kAllReduce, axes, reduced);
    }
  }

  // Every way to extend `axes`, which cut the slot in addition to its own axes.
  void Extend(CollectiveKind kind, size_t slot, const AxisList& axes, int64_t added) {
    std::set<int64_t> tried;  // sizes
    for (int axis = 0; axis < static_cast<int>(mesh_.axes.size()); ++axis) {
      const bool taken = std::find(axes.begin(), axes.end(), axis) != axes.end();
      if (taken || !from_.free(axis) || Frozen(axis) || mesh_.size(axis) == 1) continue;
      if (rule_.by_size && !tried.insert(mesh_.size(axis)).second) continue;
      const int64_t more = added * mesh_.size(axis);
      if (!Fits(slot, pieces_[slot], more)) continue;
      AxisList longer = axes;
      longer.Add(axis);
      Emit(kind, longer, Appended(from_, slot, longer));
      Extend(kind, slot, longer, more);
    }
  }

  const View& view_;
  const Mesh& mesh_;
  const Layout& from_;
  const MoveRule rule_;
  const std::vector<AxisList> axes_;  // by slot
  std::vector<int64_t> pieces_;
  std::vector<Move> moves_;
};

bool Nests(int64_t size, int64_t pieces, int64_t added) {
  if (size < pieces * added) return false;
  if (size % (pieces * added) == 0) return true;
  for (int64_t i = 0; i < pieces; ++i) {
    const Interval whole = Piece(size, pieces, i);
    if (Piece(size, pieces * added, i * added).begin != whole.begin) return false;
  }
  return true;
}

}  // namespace

bool CanCut(const std::vector<int64_t>& sizes, int64_t pieces, int64_t added, bool even) {
  return std::ranges::all_of(sizes, [&](int64_t size) {
    return even ? size % (pieces * added) == 0 : Nests(size, pieces, added);
  });
}

std::vector<Move> MovesFrom(const View& view,
                            const Mesh& mesh,
                            const Layout& from,
                            const MoveRule& rule) {
  return Generator(view, mesh, from, rule).Moves();
}

std::vector<Move> GathersTo(const View& view,
                            const Mesh& mesh,
                            const Layout& to,
                            const MoveRule& rule) {
  return Generator(view, mesh, to, rule).InverseGathers();
}

}  // namespace metadist
