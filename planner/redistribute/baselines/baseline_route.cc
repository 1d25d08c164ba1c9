// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/baselines/baseline_route.h"

#include <algorithm>

#include "planner/redistribute/blocks.h"

namespace metadist {
namespace {

AxisList First(const AxisList& axes, size_t count) {
  AxisList out;
  for (size_t i = 0; i < count; ++i) out.Add(axes[i]);
  return out;
}

}  // namespace

void BaselineRoute::Slice(size_t slot, const AxisList& free_axes) {
  if (free_axes.empty()) return;
  broken_ |= !Fits(slot, at_.AxesOf(slot), free_axes);
  Layout to = at_;
  to.Append(slot, free_axes);
  Emit(CollectiveKind::kSlice, free_axes, to);
}

void BaselineRoute::Gather(size_t slot, size_t count) {
  if (count == 0) return;
  const AxisList axes = at_.AxesOf(slot);
  const AxisList moved = axes.From(axes.size() - count);
  broken_ |= !Fits(slot, First(axes, axes.size() - count), moved);
  Layout to = at_;
  to.Free(moved);
  Emit(CollectiveKind::kAllGather, moved, to);
}

void BaselineRoute::AllToAll(size_t from, size_t count, size_t to) {
  if (count == 0) return;
  const AxisList axes = at_.AxesOf(from);
  const AxisList moved = axes.From(axes.size() - count);
  broken_ |= !Fits(from, First(axes, axes.size() - count), moved);
  broken_ |= !Fits(to, at_.AxesOf(to), moved);
  Layout next = at_;
  next.Free(moved);
  next.Append(to, moved);
  Emit(CollectiveKind::kAllToAll, moved, next);
}

void BaselineRoute::Permute(const Layout& to) {
  if (to == at_) return;
  const Mesh& mesh = problem_->mesh->fine;
  broken_ |= BlockShapeOf(problem_->view, mesh, at_) != BlockShapeOf(problem_->view, mesh, to);
  Emit(CollectiveKind::kPermute, {}, to);
}

void BaselineRoute::AllReduce(const AxisList& partial_axes) {
  if (partial_axes.empty()) return;
  Layout to = at_;
  to.Free(partial_axes);
  Emit(CollectiveKind::kAllReduce, partial_axes, to);
}

void BaselineRoute::ReduceScatter(const AxisList& partial_axes, size_t slot) {
  if (partial_axes.empty()) return;
  broken_ |= !Fits(slot, at_.AxesOf(slot), partial_axes);
  Layout to = at_;
  to.Free(partial_axes);
  to.Append(slot, partial_axes);
  Emit(CollectiveKind::kReduceScatter, partial_axes, to);
}

void BaselineRoute::ReduceAll() {
  AxisList axes;
  for (const Partial& partial : at_.Partials())
    if (!problem_->to.PartialOf(partial.axis)) axes.Add(partial.axis);
  AllReduce(axes);
}

Moves BaselineRoute::Finish() const {
  if (broken_ || !(at_ == problem_->to)) return std::nullopt;
  return moves_;
}

void BaselineRoute::Emit(CollectiveKind kind, const AxisList& axes, const Layout& to) {
  moves_.push_back({kind, axes, to});
  at_ = to;
}

bool BaselineRoute::Fits(size_t slot, const AxisList& kept, const AxisList& axes) const {
  const Mesh& mesh = problem_->mesh->fine;
  const int64_t pieces = mesh.size(kept.ids());
  const int64_t added = mesh.size(axes.ids());
  const std::vector<int64_t>& sizes = problem_->view.sizes(slot);
  return std::all_of(sizes.begin(), sizes.end(), [&](int64_t size) {
    return problem_->even ? size % (pieces * added) == 0 : Nests(size, pieces, added);
  });
}

}  // namespace metadist
