// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/moves.h"

#include <algorithm>

namespace metadist {
namespace {

class Generator {
 public:
  Generator(const View& view, const Mesh& mesh, const Layout& from)
      : view_(view), mesh_(mesh), from_(from) {}

  std::vector<Move> Run() {
    const int axes = static_cast<int>(mesh_.axes.size());
    for (int axis = 0; axis < axes; ++axis) {
      if (!from_.free(axis) || mesh_.size(axis) == 1) continue;
      for (size_t s = 0; s < view_.slots(); ++s)
        if (Fits(from_, s, AxisList(axis)))
          Emit(CollectiveKind::kSlice, AxisList(axis), Appended(from_, s, AxisList(axis)));
    }
    for (size_t s = 0; s < view_.slots(); ++s) MovesOfSuffixes(s);
    MovesOfPartials();
    return std::move(moves_);
  }

 private:
  int64_t Pieces(const AxisList& axes) const {
    int64_t count = 1;
    for (uint8_t axis : axes) count *= mesh_.size(axis);
    return count;
  }

  bool Fits(const Layout& layout, size_t slot, const AxisList& axes) const {
    const int64_t pieces = Pieces(layout.AxesOf(slot));
    const int64_t added = Pieces(axes);
    return std::all_of(view_.sizes(slot).begin(), view_.sizes(slot).end(), [&](int64_t size) {
      return Nests(size, pieces, added);
    });
  }

  static Layout Appended(Layout layout, size_t slot, const AxisList& axes) {
    layout.Append(slot, axes);
    return layout;
  }

  void Emit(CollectiveKind kind, const AxisList& axes, const Layout& to) {
    moves_.push_back({kind, axes, to});
  }

  // Drops or moves the minor-most axes of a slot, one and more.
  void MovesOfSuffixes(size_t slot) {
    const AxisList axes = from_.AxesOf(slot);
    for (size_t keep = axes.size(); keep-- > 0;) {
      const AxisList suffix = axes.From(keep);
      Layout without = from_;
      without.Free(suffix);
      if (!Fits(without, slot, suffix)) continue;
      for (size_t other = 0; other < view_.slots(); ++other)
        if (other != slot && Fits(without, other, suffix))
          Emit(CollectiveKind::kAllToAll, suffix, Appended(without, other, suffix));
      Emit(CollectiveKind::kAllGather, suffix, without);
    }
  }

  // Reduces one partial axis, or all of them at once.
  void MovesOfPartials() {
    std::vector<AxisList> groups;
    AxisList all;
    for (int axis = 0; axis < static_cast<int>(mesh_.axes.size()); ++axis) {
      if (!from_.PartialOf(axis)) continue;
      groups.push_back(AxisList(axis));
      all.Add(axis);
    }
    if (all.size() > 1) groups.push_back(all);
    for (const AxisList& axes : groups) {
      Layout reduced = from_;
      reduced.Free(axes);
      for (size_t slot = 0; slot < view_.slots(); ++slot)
        if (Fits(reduced, slot, axes))
          Emit(CollectiveKind::kReduceScatter, axes, Appended(reduced, slot, axes));
      Emit(CollectiveKind::kAllReduce, axes, reduced);
    }
  }

  const View& view_;
  const Mesh& mesh_;
  const Layout& from_;
  std::vector<Move> moves_;
};

}  // namespace

bool Nests(int64_t size, int64_t pieces, int64_t added) {
  if (size < pieces * added) return false;
  if (size % (pieces * added) == 0) return true;
  for (int64_t i = 0; i < pieces; ++i) {
    const Interval whole = Piece(size, pieces, i);
    if (Piece(size, pieces * added, i * added).begin != whole.begin) return false;
  }
  return true;
}

std::vector<Move> MovesFrom(const View& view, const Mesh& mesh, const Layout& from) {
  return Generator(view, mesh, from).Run();
}

}  // namespace metadist
