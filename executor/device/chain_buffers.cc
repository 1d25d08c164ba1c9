// SPDX-License-Identifier: Apache-2.0
// A value that is read outside of the chain, or is an output, is written whole: it *walks*, as
// operands do. Other values use a *head*: the first block of their buffer, which is overwritten for
// each block and never leaves the cache.
//
// Alternating changes the order of reads and writes, and buffers with disjoint lifetimes may share
// memory. Let u and w share bytes, where the lifetime of u ends before that of w begins:
//  * Both are heads: within a block the order is that of the nodes; nothing is carried to the next.
//  * u and w walk from the same address with equal bytes per element: block i of u is read before
//    block i of w overwrites it, and no other block uses it before.
//  * u is an operand from outside, and w a head at its address with at most as many bytes per
//    element: the head is within the first block of u, which has been read by then.
//  * One is a head, the other is written and walks, and both start at the same address: the head is
//    made to walk too, which gives the second case. The other value writes these bytes anyway.
//  * Otherwise the nodes must not alternate, and the chain ends before. A broadcast operand is read
//    whole for every block, so nothing may overwrite it.
// A chain of a single block keeps the order of the nodes and has none of these restrictions. Every
// pair of values is checked: quadratic in the length of the chain.
#include "executor/device/chain_buffers.h"

#include <algorithm>

namespace metadist {
namespace {

using Access = BufferUse::Access;

const std::byte* EndOf(const BufferUse& use) {
  const bool head = use.access == Access::kHead;
  return use.begin + (head ? std::min(use.bytes, kChainBlock * use.element_bytes) : use.bytes);
}

bool Disjoint(const BufferUse& a, const BufferUse& b) {
  return EndOf(a) <= b.begin || EndOf(b) <= a.begin;
}

// Makes a pair of buffers safe, if necessary by letting a head walk. nullopt: not possible; true:
// something changed.
std::optional<bool> Reconcile(BufferUse& a, BufferUse& b) {
  if ((!a.written && !b.written) || Disjoint(a, b)) return false;
  const bool heads[] = {a.access == Access::kHead, b.access == Access::kHead};
  if (heads[0] && heads[1]) return false;
  if (a.begin != b.begin || a.access == Access::kWhole || b.access == Access::kWhole)
    return std::nullopt;
  if (!heads[0] && !heads[1])
    return a.element_bytes == b.element_bytes ? std::optional(false) : std::nullopt;
  BufferUse& head = heads[0] ? a : b;
  const BufferUse& other = heads[0] ? b : a;
  if (!other.written && head.element_bytes <= other.element_bytes) return false;
  head.access = Access::kWalk;
  return true;
}

bool ReconcileAll(std::vector<BufferUse>& uses) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t a = 0; a < uses.size(); ++a)
      for (size_t b = a + 1; b < uses.size(); ++b) {
        const auto pair = Reconcile(uses[a], uses[b]);
        if (!pair) return false;
        changed = changed || *pair;
      }
  }
  return true;
}

template <typename Uses>
auto Find(Uses& uses, ValueId root) {
  return std::find_if(uses.begin(), uses.end(), [&](const BufferUse& t) { return t.root == root; });
}

}  // namespace

ChainBuffers::ChainBuffers(const ChainSite& site)
    : site_(site), uses_(UsesOf(site.graph)), views_(site.graph.values.size()) {
  for (size_t v = 0; v < views_.size(); ++v)
    views_[static_cast<size_t>(site.plan.slots[v].root)].push_back(static_cast<ValueId>(v));
}

ChainBuffers::Place ChainBuffers::PlaceOf(ValueId value) const {
  const NodeId producer = site_.graph.value(value).producer;
  if (producer != kNone && site_.arrangement.folded[static_cast<size_t>(producer)])
    return {PlaceOf(site_.graph.node(producer).inputs[0]).root, true};
  return {site_.plan.slots[static_cast<size_t>(value)].root, false};
}

const BufferUse& ChainBuffers::Of(ValueId value, const std::vector<BufferUse>& uses) const {
  const auto found = Find(uses, PlaceOf(value).root);
  CHECK(found != uses.end(), "a chain uses a value that it does not use");
  return *found;
}

BufferUse ChainBuffers::UseOf(ValueId root, Access access) const {
  const TensorType& type = site_.graph.value(root).type;
  const std::byte* begin = site_.buffers[static_cast<size_t>(root)];
  return {root, access, begin, type.bytes(), ByteSize(type.element), /*written=*/false};
}

bool ChainBuffers::ReadOutside(ValueId root, std::span<const CpuStep> steps) const {
  const auto inside = [&](NodeId id) {
    if (id == kNone) return false;
    const Node& node = site_.graph.node(id);
    const bool view = !node.outputs.empty() && node.outputs[0] != kNone &&
                      site_.plan.slots[static_cast<size_t>(node.outputs[0])].root == root;
    return view || std::any_of(steps.begin(), steps.end(), [&](const CpuStep& step) {
             return step.node == id;
           });
  };
  for (ValueId value : views_[static_cast<size_t>(root)])
    for (const metadist::Use& use : uses_[static_cast<size_t>(value)])
      if (!inside(use.node)) return true;
  return false;
}

// Returns false if the step reads what another step writes in another order. linked: set if it
// reads what another step writes.
bool ChainBuffers::AddInputs(const CpuStep& step,
                             std::vector<BufferUse>& uses,
                             bool& linked) const {
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i] == nullptr) continue;
    const Place place = PlaceOf(site_.graph.node(step.node).inputs[i]);
    const bool along = step.range.along[i] && !place.folded;
    auto known = Find(uses, place.root);
    if (known == uses.end()) known = uses.insert(known, UseOf(place.root, Access::kWalk));
    linked = linked || known->written;
    if (along) continue;
    if (known->written) return false;
    known->access = Access::kWhole;
  }
  return true;
}

std::optional<std::vector<BufferUse>> ChainBuffers::Use(std::span<const CpuStep> steps) const {
  std::vector<BufferUse> uses;
  bool linked = false;
  for (const CpuStep& step : steps) {
    if (!AddInputs(step, uses, linked)) return std::nullopt;
    const ValueId root = PlaceOf(site_.graph.node(step.node).outputs[0]).root;
    auto known = Find(uses, root);
    if (known == uses.end())
      known =
          uses.insert(known, UseOf(root, ReadOutside(root, steps) ? Access::kWalk : Access::kHead));
    if (known->access == Access::kWhole) return std::nullopt;  // a state that was read whole before
    known->written = true;
  }
  const bool one_block = steps[0].range.count <= kChainBlock;
  if (!linked || (!one_block && !ReconcileAll(uses))) return std::nullopt;
  return uses;
}

}  // namespace metadist
