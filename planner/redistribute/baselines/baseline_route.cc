// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/baselines/baseline_route.h"

#include "planner/redistribute/blocks.h"

namespace metadist {

void BaselineRoute::Slice(size_t slot, const AxisList& free_axes) {
  Take(CollectiveKind::kSlice, free_axes, slot);
}

void BaselineRoute::Gather(size_t slot, size_t count) {
  Take(CollectiveKind::kAllGather, LastAxes(slot, count), std::nullopt);
}

void BaselineRoute::AllToAll(size_t from, size_t count, size_t to) {
  Take(CollectiveKind::kAllToAll, LastAxes(from, count), to);
}

void BaselineRoute::Permute(const Layout& to) {
  if (to == at_) return;
  const Mesh& mesh = problem_->mesh->fine;
  broken_ |= BlockShapeOf(problem_->view, mesh, at_) != BlockShapeOf(problem_->view, mesh, to);
  Emit(CollectiveKind::kPermute, {}, to);
}

void BaselineRoute::AllReduce(const AxisList& partial_axes) {
  Take(CollectiveKind::kAllReduce, partial_axes, std::nullopt);
}

void BaselineRoute::ReduceScatter(const AxisList& partial_axes, size_t slot) {
  Take(CollectiveKind::kReduceScatter, partial_axes, slot);
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

AxisList BaselineRoute::LastAxes(size_t slot, size_t count) {
  const AxisList axes = at_.AxesOf(slot);
  const AxisList moved = axes.From(axes.size() - count);
  const int64_t pieces = moved.Pieces(problem_->mesh->fine);
  if (count > 0) CheckCut(slot, axes.Pieces(problem_->mesh->fine) / pieces, pieces);
  return moved;
}

void BaselineRoute::Take(CollectiveKind kind, const AxisList& axes, std::optional<size_t> slot) {
  if (axes.empty()) return;
  const Mesh& mesh = problem_->mesh->fine;
  if (slot) CheckCut(*slot, at_.AxesOf(*slot).Pieces(mesh), axes.Pieces(mesh));
  Layout to = at_;
  if (kind != CollectiveKind::kSlice) to.Free(axes);
  if (slot) to.Append(*slot, axes);
  Emit(kind, axes, to);
}

void BaselineRoute::Emit(CollectiveKind kind, const AxisList& axes, const Layout& to) {
  moves_.push_back({kind, axes, to});
  at_ = to;
}

void BaselineRoute::CheckCut(size_t slot, int64_t pieces, int64_t added) {
  broken_ |= !CanCut(problem_->view.sizes(slot), pieces, added, problem_->even);
}

}  // namespace metadist
