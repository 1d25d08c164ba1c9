// SPDX-License-Identifier: Apache-2.0
#include "executor/device/arena.h"

#include <algorithm>

namespace metadist {
namespace {

using Slot = BufferPlan::Slot;

// Whether the value is the root of a buffer in the arena.
bool OwnsArena(const BufferPlan& plan, size_t value) {
  const Slot& slot = plan.slots[value];
  return slot.place == BufferPlan::Place::kArena && slot.root == static_cast<ValueId>(value);
}

int64_t EndOf(const Slot& slot) { return slot.offset + (slot.bytes + 63) / 64 * 64; }

}  // namespace

Interval LargestGap(const BufferPlan& plan, NodeId node) {
  std::vector<Interval> taken;
  for (size_t v = 0; v < plan.slots.size(); ++v) {
    const Slot& slot = plan.slots[v];
    if (OwnsArena(plan, v) && slot.first <= node && node <= slot.last)
      taken.push_back({slot.offset, EndOf(slot)});
  }
  taken.push_back({plan.arena_bytes, plan.arena_bytes});
  std::sort(taken.begin(), taken.end(), [](const Interval& a, const Interval& b) {
    return a.begin < b.begin;
  });
  Interval gap;
  int64_t end = 0;
  for (const Interval& next : taken) {
    if (next.begin - end > gap.size()) gap = {end, next.begin};
    end = std::max(end, next.end);
  }
  return gap;
}

bool ExtendLifetime(BufferPlan& plan, ValueId value, NodeId last) {
  const ValueId root = plan.slots[static_cast<size_t>(value)].root;
  Slot& kept = plan.slots[static_cast<size_t>(root)];
  if (kept.rewritten != kNone && kept.rewritten <= last) return false;
  if (kept.place != BufferPlan::Place::kArena || kept.last >= last) return true;
  for (size_t v = 0; v < plan.slots.size(); ++v) {
    const Slot& slot = plan.slots[v];
    if (!OwnsArena(plan, v) || slot.first <= kept.last || slot.first > last) continue;
    if (slot.offset < EndOf(kept) && kept.offset < EndOf(slot)) return false;
  }
  for (Slot& slot : plan.slots)
    if (slot.root == root) slot.last = last;
  return true;
}

}  // namespace metadist
