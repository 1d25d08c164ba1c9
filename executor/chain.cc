// SPDX-License-Identifier: Apache-2.0
// Elementwise calls on large arrays wait for memory: each reads its operands from there and writes
// its result back, of which the next call wants the same elements again. Compilers of tensor
// programs generate one loop for such a chain; here the kernels stay what they are and take turns
// on blocks that fit the cache (the vectors-at-a-time of column stores: Boncz, Zukowski and Nes
// 2005, "MonetDB/X100: Hyper-Pipelining Query Execution"). That needs no compiler at run time and
// gives the same bits.
//
// A value that is read outside of the chain, or is an output, is written whole: it *walks*, as
// operands do. Others have a *head*: the first block of their buffer, written again for each block,
// which never leaves the cache.
//
// Taking turns changes the order of reads and writes, and buffers whose lives do not overlap may
// share memory. Say u dies before w is born, and they share bytes:
//  * Heads both: within a block the order is that of the nodes; nothing is carried to the next.
//  * u and w walk from the same address with the same bytes an element: block i of u is read
//    before block i of w is written over it, and before it no other block touches it.
//  * u is an operand from outside and w a head at its address with no more bytes an element: the
//    head lies in the first block of u, which is read before.
//  * One is a head and the other is written and walks, from the same address: the head walks too,
//    which is the case before. Its bytes are about to be written by the other anyway.
//  * Else they must not run in turns, and the chain ends before. An operand that is stretched is
//    read whole for every block, so nothing may be written over it.
// A chain of one block keeps the order of the nodes and is free of all that.
// Cost: chains have at most kMostLinks nodes, every pair of their values is looked at.
#include "executor/chain.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace metadist {
namespace {

constexpr int64_t kBlock = 4096;  // elements
constexpr size_t kMostLinks = 32;

enum class Access : uint8_t { kHead, kWalk, kWhole };

// How the chain uses the buffer of a value.
struct Touch {
  ValueId root = kNone;  // the value whose buffer it is
  Access access = Access::kWalk;
  const std::byte* begin = nullptr;
  int64_t bytes = 0;
  int64_t element_bytes = 0;
  bool written = false;

  const std::byte* end() const {
    return begin + (access == Access::kHead ? std::min(bytes, kBlock * element_bytes) : bytes);
  }
};

bool Disjoint(const Touch& a, const Touch& b) { return a.end() <= b.begin || b.end() <= a.begin; }

// Makes a pair of buffers safe, if need be by letting a head walk. nullopt: it is not;
// true: something changed.
std::optional<bool> Reconcile(Touch& a, Touch& b) {
  if ((!a.written && !b.written) || Disjoint(a, b)) return false;
  const bool heads[] = {a.access == Access::kHead, b.access == Access::kHead};
  if (heads[0] && heads[1]) return false;
  if (a.begin != b.begin || a.access == Access::kWhole || b.access == Access::kWhole)
    return std::nullopt;
  if (!heads[0] && !heads[1])
    return a.element_bytes == b.element_bytes ? std::optional(false) : std::nullopt;
  Touch& head = heads[0] ? a : b;
  const Touch& other = heads[0] ? b : a;
  if (!other.written && head.element_bytes <= other.element_bytes) return false;
  head.access = Access::kWalk;
  return true;
}

bool ReconcileAll(std::vector<Touch>& touches) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t a = 0; a < touches.size(); ++a)
      for (size_t b = a + 1; b < touches.size(); ++b) {
        const auto pair = Reconcile(touches[a], touches[b]);
        if (!pair) return false;
        changed = changed || *pair;
      }
  }
  return true;
}

struct Link {
  cpu::RangeKernel::Run run;
  size_t inputs = 0;
  std::array<const std::byte*, cpu::kMaxRangeInputs> from{};
  std::array<int64_t, cpu::kMaxRangeInputs> from_step{};  // bytes an element; 0: does not walk
  std::byte* to = nullptr;
  int64_t to_step = 0;
};

void RunLinks(const std::vector<Link>& links, int64_t count) {
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, count);
    for (const Link& link : links) {
      std::array<const std::byte*, cpu::kMaxRangeInputs> from = link.from;
      for (size_t i = 0; i < link.inputs; ++i)
        if (link.from_step[i] != 0) from[i] += begin * link.from_step[i];
      std::byte* const to[] = {link.to + begin * link.to_step};
      link.run({std::span(from).first(link.inputs), to, nullptr}, begin, end);
    }
  }
}

class Fuser {
 public:
  Fuser(std::vector<RankStep> steps, const ChainSite& site)
      : steps_(std::move(steps)), site_(site), uses_(UsesOf(site.graph)) {
    views_.resize(site.graph.values.size());
    for (size_t v = 0; v < views_.size(); ++v)
      views_[static_cast<size_t>(site.plan.slots[v].root)].push_back(static_cast<ValueId>(v));
  }

  std::vector<RankStep> Run();

 private:
  const Node& NodeOf(size_t step) const { return site_.graph.node(steps_[step].node); }
  size_t EndOfRun(size_t begin) const;
  ValueId RootOf(ValueId value, bool& folded) const;
  bool ReadOutside(ValueId root, size_t begin, size_t end) const;
  Touch TouchOf(ValueId root, Access access) const;
  std::optional<std::vector<Touch>> Touches(size_t begin, size_t end) const;
  RankStep Join(size_t begin, size_t end, const std::vector<Touch>& touches);

  std::vector<RankStep> steps_;
  const ChainSite& site_;
  const std::vector<std::vector<Use>> uses_;
  std::vector<std::vector<ValueId>> views_;  // by root: the values that lie in its buffer
};

size_t Fuser::EndOfRun(size_t begin) const {
  const auto fits = [&](size_t step) {
    const RankStep& s = steps_[step];
    return s.range.run && s.range.count == steps_[begin].range.count &&
           s.inputs.size() <= cpu::kMaxRangeInputs && s.outputs[0] != nullptr;
  };
  size_t end = begin;
  while (end < steps_.size() && end - begin < kMostLinks && fits(end)) ++end;
  return end;
}

// The value in whose buffer this one is read; `folded`: by strides, in place of its producer's
// result.
ValueId Fuser::RootOf(ValueId value, bool& folded) const {
  const NodeId producer = site_.graph.value(value).producer;
  if (producer != kNone && site_.arrangement.folded[static_cast<size_t>(producer)]) {
    folded = true;
    return RootOf(site_.graph.node(producer).inputs[0], folded);
  }
  return site_.plan.slots[static_cast<size_t>(value)].root;
}

bool Fuser::ReadOutside(ValueId root, size_t begin, size_t end) const {
  for (ValueId value : views_[static_cast<size_t>(root)])
    for (const Use& use : uses_[static_cast<size_t>(value)]) {
      if (use.node == kNone) return true;
      const Node& node = site_.graph.node(use.node);
      const bool view = !node.outputs.empty() && node.outputs[0] != kNone &&
                        site_.plan.slots[static_cast<size_t>(node.outputs[0])].root == root;
      bool inside = view;
      for (size_t s = begin; s < end && !inside; ++s) inside = steps_[s].node == use.node;
      if (!inside) return true;
    }
  return false;
}

Touch Fuser::TouchOf(ValueId root, Access access) const {
  const TensorType& type = site_.graph.value(root).type;
  return {root,
          access,
          site_.buffers[static_cast<size_t>(root)],
          type.bytes(),
          ByteSize(type.element),
          false};
}

// How the steps use buffers when they take turns; nullopt: they cannot, or none reads what another
// writes.
std::optional<std::vector<Touch>> Fuser::Touches(size_t begin, size_t end) const {
  std::vector<Touch> touches;
  bool linked = false;
  for (size_t s = begin; s < end; ++s) {
    const RankStep& step = steps_[s];
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      if (step.inputs[i] == nullptr) continue;
      bool folded = false;
      const ValueId root = RootOf(NodeOf(s).inputs[i], folded);
      const bool along = step.range.along[i] && !folded;
      auto known = std::find_if(
          touches.begin(), touches.end(), [&](const Touch& t) { return t.root == root; });
      if (known == touches.end())
        known = touches.insert(known, TouchOf(root, along ? Access::kWalk : Access::kWhole));
      linked = linked || known->written;
      if (along) continue;
      if (known->written) return std::nullopt;
      known->access = Access::kWhole;
    }
    const ValueId out = NodeOf(s).outputs[0];
    touches.push_back(TouchOf(out, ReadOutside(out, begin, end) ? Access::kWalk : Access::kHead));
    touches.back().written = true;
  }
  if (!linked) return std::nullopt;
  if (steps_[begin].range.count > kBlock && !ReconcileAll(touches)) return std::nullopt;
  return touches;
}

RankStep Fuser::Join(size_t begin, size_t end, const std::vector<Touch>& touches) {
  const auto touch_of = [&](ValueId value) {
    bool folded = false;
    const ValueId root = RootOf(value, folded);
    return *std::find_if(
        touches.begin(), touches.end(), [&](const Touch& t) { return t.root == root; });
  };
  std::vector<Link> links;
  RankStep chain;
  for (size_t s = begin; s < end; ++s) {
    RankStep& step = steps_[s];
    Link link;
    link.inputs = step.inputs.size();
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      link.from[i] = step.inputs[i];
      if (step.inputs[i] == nullptr || !step.range.along[i]) continue;
      const Touch touch = touch_of(NodeOf(s).inputs[i]);
      if (touch.access != Access::kHead) link.from_step[i] = touch.element_bytes;
    }
    const Touch touch = touch_of(NodeOf(s).outputs[0]);
    link.to = step.outputs[0];
    if (touch.access != Access::kHead) link.to_step = touch.element_bytes;
    link.run = std::move(step.range.run);
    links.push_back(std::move(link));
    if (s > begin) chain.others.push_back(step.node);
    chain.kernel += (s > begin ? "+" : "") + step.kernel;
  }
  chain.node = steps_[begin].node;
  const int64_t count = steps_[begin].range.count;
  chain.run = [links = std::move(links), count](const cpu::KernelArgs&) -> Result<void> {
    RunLinks(links, count);
    return {};
  };
  return chain;
}

std::vector<RankStep> Fuser::Run() {
  std::vector<RankStep> joined;
  for (size_t begin = 0; begin < steps_.size();) {
    size_t end = EndOfRun(begin);
    std::optional<std::vector<Touch>> touches;
    while (end > begin + 1 && !(touches = Touches(begin, end))) --end;
    end = std::max(end, begin + 1);
    joined.push_back(touches ? Join(begin, end, *touches) : std::move(steps_[begin]));
    begin = end;
  }
  return joined;
}

}  // namespace

std::vector<RankStep> FuseChains(std::vector<RankStep> steps, const ChainSite& site) {
  return Fuser(std::move(steps), site).Run();
}

}  // namespace metadist
