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
    for (int axis : UnusedAxes())
      for (size_t s = 0; s < view_.slots(); ++s)
        if (Fits(from_, s, {axis}))
          Emit(CollectiveKind::kSlice, {axis}, Appended(from_, s, {axis}));
    for (size_t s = 0; s < view_.slots(); ++s) MovesOfSuffixes(s);
    MovesOfPartials();
    return std::move(moves_);
  }

 private:
  std::vector<int> UnusedAxes() const {
    std::vector<bool> used(mesh_.axes.size(), false);
    for (const std::vector<int>& axes : from_.slots)
      for (int axis : axes) used[static_cast<size_t>(axis)] = true;
    for (const Partial& partial : from_.partial) used[static_cast<size_t>(partial.axis)] = true;
    std::vector<int> unused;
    for (size_t a = 0; a < used.size(); ++a)
      if (!used[a] && mesh_.axes[a].size > 1) unused.push_back(static_cast<int>(a));
    return unused;
  }

  bool Fits(const Layout& layout, size_t slot, const std::vector<int>& axes) const {
    const int64_t pieces = mesh_.size(layout.slots[slot]);
    const int64_t added = mesh_.size(axes);
    return std::all_of(view_.sizes(slot).begin(), view_.sizes(slot).end(), [&](int64_t size) {
      return Nests(size, pieces, added);
    });
  }

  static Layout Appended(Layout layout, size_t slot, const std::vector<int>& axes) {
    layout.slots[slot].insert(layout.slots[slot].end(), axes.begin(), axes.end());
    return layout;
  }

  void Emit(CollectiveKind kind, std::vector<int> axes, Layout to) {
    moves_.push_back({kind, std::move(axes), std::move(to)});
  }

  // Drops or moves the minor-most axes of a slot, one and more.
  void MovesOfSuffixes(size_t slot) {
    const std::vector<int>& axes = from_.slots[slot];
    for (size_t keep = axes.size(); keep-- > 0;) {
      const std::vector<int> suffix(axes.begin() + static_cast<int64_t>(keep), axes.end());
      Layout without = from_;
      without.slots[slot].resize(keep);
      if (!Fits(without, slot, suffix)) continue;
      for (size_t other = 0; other < view_.slots(); ++other)
        if (other != slot && Fits(without, other, suffix))
          Emit(CollectiveKind::kAllToAll, suffix, Appended(without, other, suffix));
      Emit(CollectiveKind::kAllGather, suffix, std::move(without));
    }
  }

  // Reduces one partial axis, or all of them at once.
  void MovesOfPartials() {
    std::vector<std::vector<int>> groups;
    std::vector<int> all;
    for (const Partial& partial : from_.partial) {
      groups.push_back({partial.axis});
      all.push_back(partial.axis);
    }
    if (all.size() > 1) groups.push_back(all);
    for (const std::vector<int>& axes : groups) {
      Layout reduced = from_;
      std::erase_if(reduced.partial, [&](const Partial& partial) {
        return std::find(axes.begin(), axes.end(), partial.axis) != axes.end();
      });
      for (size_t slot = 0; slot < view_.slots(); ++slot)
        if (Fits(reduced, slot, axes))
          Emit(CollectiveKind::kReduceScatter, axes, Appended(reduced, slot, axes));
      Emit(CollectiveKind::kAllReduce, axes, std::move(reduced));
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
