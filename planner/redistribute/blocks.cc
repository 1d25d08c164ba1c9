// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/blocks.h"

#include <map>
#include <set>

namespace metadist {
namespace {

bool Frozen(uint32_t frozen, int axis) { return (frozen >> axis & 1) != 0; }

// Assigns free axes to the slots until each slot has its pieces.
class AxisAssigner {
 public:
  AxisAssigner(
      const View& view, const Mesh& mesh, const Layout& like, const MoveRule& rule, bool distinct)
      : mesh_(mesh),
        wanted_(BlockShapeOf(view, mesh, like).pieces),
        distinct_(distinct),
        bare_(like) {
    for (int axis = 0; axis < static_cast<int>(mesh.axes.size()); ++axis)
      if (!Frozen(rule.frozen, axis) && !like.PartialOf(axis)) movable_.Add(axis);
    bare_.Free(movable_);
    for (size_t s = 0; s < wanted_.size(); ++s)
      for (uint8_t axis : bare_.AxesOf(s)) wanted_[s] /= mesh.size(axis);
  }

  std::vector<Layout> Run() {
    Assign(bare_, 0, wanted_.empty() ? 1 : wanted_[0]);
    return std::move(out_);
  }

 private:
  // left: number of pieces by which the slot must still be cut.
  void Assign(const Layout& layout, size_t slot, int64_t left) {
    while (slot < wanted_.size() && left == 1) left = ++slot < wanted_.size() ? wanted_[slot] : 1;
    if (slot == wanted_.size()) {
      out_.push_back(layout);
      return;
    }
    std::set<int64_t> tried;
    for (uint8_t axis : movable_) {
      const int64_t size = mesh_.size(axis);
      if (size == 1 || !layout.free(axis) || left % size != 0) continue;
      if (distinct_ && !tried.insert(size).second) continue;
      Layout longer = layout;
      longer.Append(slot, AxisList(axis));
      Assign(longer, slot, left / size);
    }
  }

  const Mesh& mesh_;
  std::vector<int64_t> wanted_;
  const bool distinct_;
  Layout bare_;
  AxisList movable_;
  std::vector<Layout> out_;
};

}  // namespace

BlockShape BlockShapeOf(const View& view, const Mesh& mesh, const Layout& layout) {
  return {layout.Pieces(view.slots(), mesh), layout.Partials()};
}

std::vector<Layout> LayoutsOf(
    const View& view, const Mesh& mesh, const Layout& like, const MoveRule& rule, bool distinct) {
  return AxisAssigner(view, mesh, like, rule, distinct).Run();
}

Layout NamedBySize(const View& view, const Mesh& mesh, const Layout& layout, uint32_t frozen) {
  std::map<int64_t, AxisList> names;  // by size, ascending
  AxisList renamed;
  for (int axis = 0; axis < static_cast<int>(mesh.axes.size()); ++axis) {
    if (Frozen(frozen, axis) || layout.PartialOf(axis)) continue;
    names[mesh.size(axis)].Add(axis);
    renamed.Add(axis);
  }
  const std::vector<AxisList> axes = layout.AxesOfAll(view.slots());
  std::map<int64_t, size_t> used;
  Layout out = layout;
  out.Free(renamed);
  for (size_t s = 0; s < axes.size(); ++s)
    for (uint8_t axis : axes[s]) {
      if (Frozen(frozen, axis)) continue;
      const int64_t size = mesh.size(axis);
      out.Append(s, AxisList(names[size][used[size]++]));
    }
  return out;
}

}  // namespace metadist
