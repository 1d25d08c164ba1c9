// SPDX-License-Identifier: Apache-2.0
// Packing buffers with known lifetimes into one arena is dynamic storage allocation, which is
// NP-hard; offline greedy by decreasing size stays within a few per cent of the live peak on model
// graphs (Pisarchyk and Lee 2020, arXiv:2001.03288). Placing in order of first use is better on
// some graphs, so both are tried and the smaller arena is kept. If that exceeds the live peak,
// buffers that extend above the peak are moved to the front of the order and everything is packed
// again, a few times (squeaky wheel optimization, Joslin and Clements 1999): often the arena then
// equals the peak.
#include "metair/spmd/buffer_plan.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "metair/ir/packing.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/overlapping.h"

namespace metadist {
namespace {

using Slot = BufferPlan::Slot;
using Place = BufferPlan::Place;

constexpr int64_t kAlignment = 64;

int64_t Aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// The input whose bytes output 0 of the node shares, or kNone.
ValueId Viewed(const Graph& graph, const Node& node, const OpTable& ops) {
  if (IsPrefixSlice(node)) return node.inputs[0];
  const OpDef* op = ops.Find(node);
  if (op == nullptr || !op->view || node.inputs.empty() || node.inputs[0] == kNone) return kNone;
  if (node.outputs.empty() || node.outputs[0] == kNone) return kNone;
  const Value& from = graph.value(node.inputs[0]);
  const Value& to = graph.value(node.outputs[0]);
  if (from.type.element != to.type.element || KnownBytes(from.type) != KnownBytes(to.type))
    return kNone;
  return node.inputs[0];
}

// The first and last node executed together with each node: those of its bundle, or the node
// itself.
struct Extent {
  NodeId first, last;
};
std::vector<Extent> ExtentsOf(const Graph& graph) {
  std::vector<Extent> out;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto bundle = BundleOf(graph.nodes[n]);
    const NodeId id = static_cast<NodeId>(n);
    const bool joins = n > 0 && bundle && BundleOf(graph.nodes[n - 1]) == bundle;
    out.push_back({joins ? out.back().first : id, id});
    for (NodeId member = out.back().first; member < id; ++member)
      out[static_cast<size_t>(member)].last = id;
  }
  return out;
}

// Whether the node may read copies of its operands: not if its result shares their bytes, and not
// if other ranks or bodies read them.
bool TakesCopies(const Graph& graph, const Node& node, const OpTable& ops) {
  return node.regions.empty() && !CollectiveOf(node) && Viewed(graph, node, ops) == kNone;
}

// Adds a slot for every packed value that a node reads.
void AddUnpackings(const Graph& graph, BufferPlan& plan) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    std::set<ValueId> seen = {kNone};
    for (ValueId input : graph.nodes[n].inputs) {
      if (!seen.insert(input).second || !plan.slots[static_cast<size_t>(input)].packed) continue;
      const NodeId node = static_cast<NodeId>(n);
      plan.unpackings.push_back({node, input});
      Slot slot;
      slot.place = Place::kArena;
      slot.bytes = graph.value(input).type.bytes();
      slot.root = static_cast<ValueId>(plan.slots.size());
      slot.first = slot.last = node;
      plan.slots.push_back(slot);
    }
  }
}

void SetLifetimes(const Graph& graph, const OpTable& ops, BufferPlan& plan) {
  const NodeId end = static_cast<NodeId>(graph.nodes.size());
  const std::vector<ValueId> roots = ViewRoots(graph, ops);
  plan.done_before = DoneBefore(graph, roots);
  std::vector<Extent> extents = ExtentsOf(graph);
  for (size_t n = 0; n < extents.size(); ++n)
    extents[n].last = std::max(extents[n].last, plan.done_before[n] - 1);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const NodeId producer = graph.values[v].producer;
    Slot& slot = plan.slots[v];
    slot.root = roots[v];
    if (producer == kNone) continue;
    slot.first = extents[static_cast<size_t>(producer)].first;
    slot.last = extents[static_cast<size_t>(producer)].last;
  }
  const std::vector<std::vector<Use>> uses = UsesOf(graph);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    Slot& root = plan.slots[static_cast<size_t>(plan.slots[v].root)];
    root.last = std::max(root.last, plan.slots[v].first);
    for (const Use& use : uses[v])
      root.last = std::max(root.last,
                           use.node == kNone ? end : extents[static_cast<size_t>(use.node)].last);
  }
  for (const StatePair& pair : graph.state)  // sums need not be outputs
    plan.slots[static_cast<size_t>(plan.slots[static_cast<size_t>(pair.output)].root)].last = end;
}

// Whether the node reads the buffer of this root only where it may be overwritten meanwhile.
bool MayOverwrite(const Node& node, ValueId root, const BufferPlan& plan, const OpTable& ops) {
  constexpr size_t kBits = 32;
  const OpDef* op = ops.Find(node);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone || plan.slots[static_cast<size_t>(node.inputs[i])].root != root)
      continue;
    if (op == nullptr || i >= kBits || (op->overwrites >> i & 1) == 0) return false;
  }
  return node.regions.empty();
}

// Whether the buffer of the old value is free when the new one is first written: all readers of the
// old value, and of views of it, run earlier, or are the node that writes and allow it.
bool IsFreeFor(const Graph& graph,
               const Slot& before,
               ValueId after,
               const BufferPlan& plan,
               const OpTable& ops) {
  const Slot& slot = plan.slots[static_cast<size_t>(after)];
  if (before.last != slot.first) return before.last < slot.first;
  const NodeId producer = graph.value(after).producer;
  return producer == slot.first && !BundleOf(graph.node(producer)) &&
         MayOverwrite(graph.node(producer), before.root, plan, ops);
}

// By state: whether its new value may use the buffer of the old one. Before roots are changed.
std::vector<bool> UpdatedInPlace(const Graph& graph, const BufferPlan& plan, const OpTable& ops) {
  std::vector<int> states(plan.slots.size(), 0);  // that end in the buffer of a value
  for (const StatePair& pair : graph.state)
    ++states[static_cast<size_t>(plan.slots[static_cast<size_t>(pair.output)].root)];
  std::vector<bool> in_place;
  for (const StatePair& pair : graph.state) {
    const Slot& before = plan.slots[static_cast<size_t>(pair.input)];
    const ValueId root = plan.slots[static_cast<size_t>(pair.output)].root;
    in_place.push_back(
        graph.value(root).kind == ValueKind::kResult && states[static_cast<size_t>(root)] == 1 &&
        KnownBytes(graph.value(root).type) == KnownBytes(graph.value(pair.input).type) &&
        IsFreeFor(graph, before, root, plan, ops));
  }
  return in_place;
}

// Lets new values of states use the buffers of the old ones.
void UpdateInPlace(const Graph& graph, const OpTable& ops, BufferPlan& plan) {
  const std::vector<bool> in_place = UpdatedInPlace(graph, plan, ops);
  for (size_t s = 0; s < in_place.size(); ++s) {
    if (!in_place[s]) continue;
    const StatePair& pair = graph.state[s];
    const ValueId root = plan.slots[static_cast<size_t>(pair.output)].root;
    plan.slots[static_cast<size_t>(pair.input)].rewritten =
        plan.slots[static_cast<size_t>(root)].first;
    for (Slot& slot : plan.slots)
      if (slot.root == root) slot.root = pair.input;
  }
}

// Buffers indexed by lifetime, to find those that are live at the same time. A buffer that lives
// for up to 2^k steps is stored in the spans of 2^k steps that it touches, at most two; so a search
// visits only matches, near misses and empty spans, not all buffers.
class Lifetimes {
 public:
  void Add(const Slot& slot) {
    const int level = LevelOf(slot.last - slot.first + 1);
    if (levels_.size() <= static_cast<size_t>(level - kLeast))
      levels_.resize(static_cast<size_t>(level - kLeast) + 1);
    auto& spans = levels_[static_cast<size_t>(level - kLeast)];
    for (NodeId span = slot.first >> level; span <= slot.last >> level; ++span) {
      if (spans.size() <= static_cast<size_t>(span)) spans.resize(static_cast<size_t>(span) + 1);
      spans[static_cast<size_t>(span)].push_back(&slot);
    }
  }

  // Finds the buffers that are live at the same time as `slot`; some are listed twice.
  void Find(const Slot& slot, std::vector<const Slot*>& together) const {
    together.clear();
    for (size_t l = 0; l < levels_.size(); ++l) {
      const int level = static_cast<int>(l) + kLeast;
      const auto end =
          std::min<size_t>(levels_[l].size(), static_cast<size_t>(slot.last >> level) + 1);
      for (size_t span = static_cast<size_t>(slot.first >> level); span < end; ++span)
        for (const Slot* other : levels_[l][span])
          if (other->first <= slot.last && slot.first <= other->last) together.push_back(other);
    }
  }

 private:
  static constexpr int kLeast = 6;

  static int LevelOf(int64_t steps) {
    return std::max(kLeast, static_cast<int>(std::bit_width(static_cast<uint64_t>(steps - 1))));
  }

  std::vector<std::vector<std::vector<const Slot*>>> levels_;  // by level and span
};

// Places the buffers in order, each at the lowest free offset; returns the arena's size.
int64_t Pack(const std::vector<ValueId>& order, std::vector<Slot>& slots) {
  int64_t arena = 0;
  Lifetimes placed;
  std::vector<const Slot*> together;
  for (ValueId id : order) {
    Slot& slot = slots[static_cast<size_t>(id)];
    placed.Find(slot, together);
    std::sort(together.begin(), together.end(), [](const Slot* a, const Slot* b) {
      return a->offset < b->offset;
    });
    slot.offset = 0;
    for (const Slot* other : together) {
      if (other->offset >= slot.offset + slot.bytes) break;
      slot.offset = std::max(slot.offset, other->offset + Aligned(other->bytes));
    }
    arena = std::max(arena, slot.offset + Aligned(slot.bytes));
    placed.Add(slot);
  }
  return arena;
}

// Number of further packings to try; fewer if a packing takes long.
int Repackings(size_t buffers) {
  constexpr size_t kMost = 16;
  constexpr size_t kPairs = 8'000'000;
  return static_cast<int>(std::min(kMost, kPairs / std::max<size_t>(1, buffers * buffers)));
}

// Packs again, with the buffers that extend above `live` first; keeps the smallest arena and its
// slots.
int64_t Repack(std::vector<ValueId> order, int64_t live, int64_t arena, std::vector<Slot>& best) {
  std::vector<Slot> slots = best;
  const int rounds = Repackings(order.size());
  for (int round = 0; round < rounds && arena > live; ++round) {
    std::stable_partition(order.begin(), order.end(), [&](ValueId id) {
      const Slot& slot = slots[static_cast<size_t>(id)];
      return slot.offset + Aligned(slot.bytes) > live;
    });
    const int64_t size = Pack(order, slots);
    if (size >= arena) continue;
    arena = size;
    best = slots;
  }
  return arena;
}

int64_t LivePeak(const std::vector<ValueId>& order, const std::vector<Slot>& slots, size_t nodes) {
  std::vector<int64_t> change(nodes + 2, 0);
  for (ValueId id : order) {
    const Slot& slot = slots[static_cast<size_t>(id)];
    change[static_cast<size_t>(slot.first)] += slot.bytes;
    change[static_cast<size_t>(slot.last) + 1] -= slot.bytes;
  }
  int64_t live = 0;
  int64_t peak = 0;
  for (int64_t delta : change) peak = std::max(peak, live += delta);
  return peak;
}

}  // namespace

int64_t KnownBytes(const TensorType& type) { return IsKnown(type.shape) ? type.bytes() : 0; }

std::vector<ValueId> ViewRoots(const Graph& graph, const OpTable& ops) {
  std::vector<ValueId> roots(graph.values.size());
  std::iota(roots.begin(), roots.end(), 0);
  for (const Node& node : graph.nodes) {
    const ValueId viewed = Viewed(graph, node, ops);
    if (viewed != kNone)
      roots[static_cast<size_t>(node.outputs[0])] = roots[static_cast<size_t>(viewed)];
  }
  return roots;
}

std::vector<bool> HeldPacked(const Graph& graph, const OpTable& ops) {
  std::vector<bool> packed(graph.values.size(), false);
  const std::vector<std::vector<Use>> uses = UsesOf(graph);
  for (size_t v = 0; v < packed.size(); ++v) {
    const Value& value = graph.values[v];
    if (BitSize(value.type.element) >= 8 || KnownBytes(value.type) == 0) continue;
    if (value.kind != ValueKind::kParameter && value.kind != ValueKind::kConstant) continue;
    packed[v] = std::all_of(uses[v].begin(), uses[v].end(), [&](const Use& use) {
      return use.node != kNone && TakesCopies(graph, graph.node(use.node), ops);
    });
  }
  for (const StatePair& pair : graph.state) packed[static_cast<size_t>(pair.input)] = false;
  return packed;
}

std::vector<bool> UpdatedInPlace(const Graph& graph, const OpTable& ops) {
  BufferPlan plan;
  plan.slots.resize(graph.values.size());
  SetLifetimes(graph, ops, plan);
  return UpdatedInPlace(graph, plan, ops);
}

BufferPlan PlanBuffers(const Graph& graph, const OpTable& ops) {
  BufferPlan plan;
  plan.slots.resize(graph.values.size());
  SetLifetimes(graph, ops, plan);
  UpdateInPlace(graph, ops, plan);
  const std::vector<bool> packed = HeldPacked(graph, ops);
  std::vector<ValueId> results;
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    Slot& slot = plan.slots[v];
    slot.packed = packed[v];
    slot.bytes = slot.packed ? PackedBytes(value.type) : KnownBytes(value.type);
    if (slot.bytes == 0) continue;
    slot.place = value.kind == ValueKind::kResult ? Place::kArena : Place::kResident;
    if (value.kind == ValueKind::kParameter) plan.parameter_bytes += slot.bytes;
    if (value.kind == ValueKind::kConstant) plan.constant_bytes += slot.bytes;
    if (value.kind == ValueKind::kInput) plan.input_bytes += slot.bytes;
    if (slot.place == Place::kArena && slot.root == static_cast<ValueId>(v))
      results.push_back(slot.root);
  }
  AddUnpackings(graph, plan);
  for (size_t u = 0; u < plan.unpackings.size(); ++u)
    results.push_back(static_cast<ValueId>(graph.values.size() + u));

  std::vector<ValueId> by_size = results;
  std::stable_sort(by_size.begin(), by_size.end(), [&](ValueId a, ValueId b) {
    return plan.slots[static_cast<size_t>(a)].bytes > plan.slots[static_cast<size_t>(b)].bytes;
  });
  std::vector<Slot> in_order = plan.slots;
  plan.arena_bytes = Pack(by_size, plan.slots);
  const int64_t other = Pack(results, in_order);
  if (other < plan.arena_bytes) {
    plan.slots = std::move(in_order);
    plan.arena_bytes = other;
  }
  plan.live_bytes = LivePeak(results, plan.slots, graph.nodes.size());
  plan.arena_bytes = Repack(by_size, Aligned(plan.live_bytes), plan.arena_bytes, plan.slots);

  for (size_t v = 0; v < plan.slots.size(); ++v) {
    Slot& slot = plan.slots[v];
    const Slot& root = plan.slots[static_cast<size_t>(slot.root)];
    if (slot.root == static_cast<ValueId>(v)) continue;
    slot.place = root.place;
    slot.offset = root.offset;
    slot.first = root.first;
    slot.last = root.last;
  }
  return plan;
}

}  // namespace metadist
