// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/route_tree.h"

#include <utility>

namespace metadist {

RouteTree::RouteTree(View view,
                     const Mesh& mesh,
                     StepPricer& pricer,
                     ElementType element,
                     const Layout& source,
                     const RouteLimits& limits)
    : view_(std::move(view)), mesh_(mesh), pricer_(pricer), element_(element), limits_(limits) {
  search_.Offer({CollectiveKind::kSlice, {}, source}, 0, 0, 0, -1);
}

// Partial values may be held in f32.
ElementType RouteTree::HeldAs(const Layout& layout) const {
  return layout.HoldsF32() ? ElementType::kF32 : element_;
}

void RouteTree::Expand(int id) {
  const LayoutSearch::Place from = search_[id];
  const ElementType held = HeldAs(from.move.to);
  const int64_t before = view_.LargestElements(from.move.to) * ByteSize(held);
  for (const Move& move : MovesFrom(view_, mesh_, from.move.to, {.frozen = limits_.frozen})) {
    const int64_t after = view_.LargestElements(move.to);
    if (after > limits_.most_elements) continue;
    const int64_t after_bytes = after * ByteSize(HeldAs(move.to));
    const double price = pricer_.Price(move.kind, move.axes, before, after_bytes, held).seconds;
    search_.Offer(move, 0, from.cost + price, from.steps + 1, id);
  }
  Permute(id, before);
}

// The first layout of a block shape to settle is the nearest; the others follow by permutation.
void RouteTree::Permute(int id, int64_t bytes) {
  const LayoutSearch::Place from = search_[id];
  if (!permuted_.insert(BlockShapeOf(view_, mesh_, from.move.to)).second) return;
  for (const Layout& to : LayoutsOf(view_, mesh_, from.move.to, {}, /*distinct=*/false)) {
    if (to == from.move.to) continue;
    const uint32_t changed = from.move.to.ChangedIn(to);
    if ((changed & limits_.frozen) != 0) continue;
    const AxisList axes = AxisList::OfMask(changed);
    const double price =
        pricer_.Price(CollectiveKind::kPermute, axes, bytes, bytes, HeldAs(to)).seconds;
    search_.Offer({CollectiveKind::kPermute, axes, to}, 0, from.cost + price, from.steps + 1, id);
  }
}

int RouteTree::Find(const Layout& target) {
  const int known = search_.Find(target);
  if (known >= 0 && search_[known].settled) return known;
  for (int id = search_.Next(); id >= 0; id = search_.Next()) {
    Expand(id);
    if (search_[id].move.to == target) return id;
  }
  return -1;
}

bool RouteTree::HasDetour(int id) const {
  if (search_[id].steps < 2) return false;
  for (; search_[id].parent >= 0; id = search_[id].parent) {
    const CollectiveKind kind = search_[id].move.kind;
    if (kind != CollectiveKind::kSlice && kind != CollectiveKind::kPartial) return true;
  }
  return false;
}

}  // namespace metadist
