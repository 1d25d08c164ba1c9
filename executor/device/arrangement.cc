// SPDX-License-Identifier: Apache-2.0
// One pass in node order: the layouts of a node's inputs are fixed when it is visited. Whether the
// readers of its result accept a view or a layout is found by preparing their kernels with it.
#include "executor/device/arrangement.h"

#include <algorithm>
#include <functional>

#include "executor/cpu/layout.h"
#include "executor/device/arena.h"
#include "metair/spmd/collective.h"

namespace metadist {
namespace {

using StrideList = std::vector<int64_t>;

// Whether two lists of strides are equivalent: strides of dims of size 1 do not matter.
bool SameStrides(const Shape& shape, const StrideList& a, const StrideList& b) {
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1 && a[d] != b[d]) return false;
  return true;
}

class Arranger {
 public:
  Arranger(const Graph& graph, const OpTable& ops, BufferPlan& plan)
      : graph_(graph), ops_(ops), plan_(plan), uses_(UsesOf(graph)) {
    result_.folded.assign(graph.nodes.size(), false);
    result_.views.resize(graph.values.size());
    SetOwned();
    LimitPacking();
  }

  Arrangement Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const NodeId id = static_cast<NodeId>(n);
      if (!Fold(id)) MakeChannelsLast(id);
    }
    while (!Settled()) {
    }
    return std::move(result_);
  }

 private:
  // A call that has kernels.
  struct Call {
    OpCall call;
    std::vector<TensorType> types;
  };

  void SetOwned();
  void LimitPacking();
  int64_t GrowthOf(const Node& node, const cpu::KernelSite& site) const;
  bool Fold(NodeId id);
  void MakeChannelsLast(NodeId id);
  bool Settled();
  bool MakeRowMajor(ValueId value);
  std::optional<Call> CallAt(NodeId id) const;
  std::optional<cpu::StridedView> ViewAt(NodeId id) const;
  bool Takes(NodeId reader, ValueId value, const StrideList& strides) const;
  bool ReadersTake(ValueId value, const StrideList& strides) const;
  bool TakesAnyLayout(ValueId value) const;
  bool ChannelsAreLast(ValueId value) const;

  const Graph& graph_;
  const OpTable& ops_;
  BufferPlan& plan_;
  const std::vector<std::vector<Use>> uses_;
  std::vector<bool> laid_ = std::vector<bool>(graph_.values.size());  // chosen to be channels-last
  Arrangement result_;
};

void Arranger::SetOwned() {
  std::vector<size_t> readers(graph_.values.size(), 0);
  for (size_t v = 0; v < uses_.size(); ++v)
    readers[static_cast<size_t>(plan_.slots[v].root)] += uses_[v].size();
  result_.owned.assign(graph_.values.size(), false);
  for (size_t v = 0; v < uses_.size(); ++v) {
    const ValueKind kind = graph_.values[v].kind;
    result_.owned[v] = (kind == ValueKind::kParameter || kind == ValueKind::kConstant) &&
                       readers[v] == 1 && !plan_.slots[v].packed;
  }
  for (const StatePair& pair : graph_.state) result_.owned[static_cast<size_t>(pair.input)] = false;
}

// Bytes by which packed operands exceed the plain ones.
int64_t Arranger::GrowthOf(const Node& node, const cpu::KernelSite& site) const {
  int64_t growth = 0;
  for (const cpu::Packing& packing : cpu::PrepareStrided(site).packings)
    growth +=
        std::max<int64_t>(0, packing.bytes - graph_.value(node.inputs[packing.input]).type.bytes());
  return growth;
}

// Kernels may pad the weights of windows to blocks of channels. Predictions of memory do not
// include that, so all padding together takes at most a small share of it. Calls with the most work
// per padded byte come first; weights of the others are no longer owned.
void Arranger::LimitPacking() {
  constexpr int64_t kPartOfPeak = 50;  // 2 %
  struct Padded {
    NodeId node;
    int64_t growth;
    double work;  // flops for each byte
  };
  std::vector<Padded> padded;
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const NodeId id = static_cast<NodeId>(n);
    const Node& node = graph_.node(id);
    const bool windows = std::ranges::any_of(node.inputs, [&](ValueId input) {
      return input != kNone && result_.owned[static_cast<size_t>(input)] &&
             graph_.value(input).type.shape.size() > 2;  // packed matrices are never larger
    });
    const auto call = windows ? CallAt(id) : std::nullopt;
    if (!call) continue;
    cpu::KernelSite site =
        result_.SiteOf(node, call->call, call->types, LargestGap(plan_, id).size());
    int64_t growth = GrowthOf(node, site);
    // The layout of its images is decided later, and another kernel may run then.
    if (call->types[0].shape.size() == site.shape(0).size()) {
      site.strides[0] = cpu::ChannelsLastStrides(site.shape(0));
      site.out_strides = cpu::ChannelsLastStrides(call->types[0].shape);
      growth = std::max(growth, GrowthOf(node, site));
    }
    if (growth == 0) continue;
    const double flops = static_cast<double>(WorkOf(call->call, call->types).flops);
    padded.push_back({id, growth, flops / static_cast<double>(growth)});
  }
  std::ranges::stable_sort(padded, std::greater(), &Padded::work);
  int64_t left = plan_.peak_bytes() / kPartOfPeak;
  for (const Padded& one : padded) {
    if (one.growth <= left) {
      left -= one.growth;
      continue;
    }
    for (const ValueId input : graph_.node(one.node).inputs)
      if (input != kNone) result_.owned[static_cast<size_t>(input)] = false;
  }
}

std::optional<Arranger::Call> Arranger::CallAt(NodeId id) const {
  const Node& node = graph_.node(id);
  const OpDef* op = ops_.Find(node);
  if (op == nullptr || op->view || CollectiveOf(node) || !node.regions.empty()) return std::nullopt;
  Call result{CallOf(*op, graph_, node), {}};
  auto types = InferTypes(result.call);
  if (!types.ok()) return std::nullopt;
  result.types = std::move(types).value();
  return result;
}

std::optional<cpu::StridedView> Arranger::ViewAt(NodeId id) const {
  const Node& node = graph_.node(id);
  if (node.outputs.size() != 1 || node.inputs.empty() || node.inputs[0] == kNone)
    return std::nullopt;
  const NodeId producer = graph_.value(node.inputs[0]).producer;
  if (producer != kNone && result_.folded[static_cast<size_t>(producer)]) return std::nullopt;
  if (plan_.slots[static_cast<size_t>(node.inputs[0])].packed) return std::nullopt;
  const auto call = CallAt(id);
  if (!call) return std::nullopt;
  auto view = cpu::PrepareStrided(result_.SiteOf(node, call->call, call->types, 0)).view;
  if (!view) return std::nullopt;
  const Shape& shape = call->types[0].shape;
  if (SameStrides(shape, view->strides, Strides(shape)))
    view->strides.clear();
  else if (SameStrides(shape, view->strides, cpu::ChannelsLastStrides(shape)))
    view->strides = cpu::ChannelsLastStrides(shape);
  return view;
}

bool Arranger::Takes(NodeId reader, ValueId value, const StrideList& strides) const {
  const Node& node = graph_.node(reader);
  const auto call = CallAt(reader);
  if (!call) return false;
  if (strides.empty()) return true;
  const int64_t gap = LargestGap(plan_, reader).size();
  cpu::KernelSite site = result_.SiteOf(node, call->call, call->types, gap);
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i] == value) site.strides[i] = strides;
  site.out_strides.clear();
  if (cpu::PrepareStrided(site).ok()) return true;
  if (node.outputs.empty() || node.outputs[0] == kNone || !TakesAnyLayout(node.outputs[0]))
    return false;
  site.out_strides = cpu::ChannelsLastStrides(call->types[0].shape);
  return cpu::PrepareStrided(site).ok();
}

bool Arranger::ReadersTake(ValueId value, const StrideList& strides) const {
  for (const Use& use : uses_[static_cast<size_t>(value)])
    if (use.node == kNone || !Takes(use.node, value, strides)) return false;
  return !uses_[static_cast<size_t>(value)].empty();
}

bool Arranger::Fold(NodeId id) {
  const auto view = ViewAt(id);
  if (!view) return false;
  const Node& node = graph_.node(id);
  const ValueId out = node.outputs[0];
  if (!ReadersTake(out, view->strides)) return false;
  NodeId last = id;
  for (const Use& use : uses_[static_cast<size_t>(out)]) last = std::max(last, use.node);
  if (!ExtendLifetime(plan_, node.inputs[0], last)) return false;
  result_.folded[static_cast<size_t>(id)] = true;
  result_.views[static_cast<size_t>(out)] = *view;
  return true;
}

// Whether the value may have any layout: an image in the arena without views.
bool Arranger::TakesAnyLayout(ValueId value) const {
  const TensorType& type = graph_.value(value).type;
  const BufferPlan::Slot& slot = plan_.slots[static_cast<size_t>(value)];
  return type.element == ElementType::kF32 && type.shape.size() == 4 &&
         slot.place == BufferPlan::Place::kArena && slot.root == value &&
         NumElements(type.shape) > type.shape[0] * type.shape[1];
}

bool Arranger::ChannelsAreLast(ValueId value) const {
  const StrideList& strides = result_.views[static_cast<size_t>(value)].strides;
  return !strides.empty() && strides == cpu::ChannelsLastStrides(graph_.value(value).type.shape);
}

void Arranger::MakeChannelsLast(NodeId id) {
  const Node& node = graph_.node(id);
  const auto call = CallAt(id);
  if (!call || node.outputs.size() != 1 || node.outputs[0] == kNone) return;
  const cpu::KernelRow* row = cpu::RowOf(*call->call.op);
  if (row == nullptr || !row->traits.writes_strides || !TakesAnyLayout(node.outputs[0])) return;
  bool wanted = row->traits.starts_layout;
  for (ValueId input : node.inputs) wanted = wanted || (input != kNone && ChannelsAreLast(input));
  const ValueId out = node.outputs[0];
  cpu::KernelSite site =
      result_.SiteOf(node, call->call, call->types, LargestGap(plan_, id).size());
  site.out_strides = cpu::ChannelsLastStrides(call->types[0].shape);
  // Also channels-last if this is a transpose whose operand already has that order.
  const auto view = wanted ? std::nullopt : cpu::PrepareStrided(site).view;
  wanted = wanted || (view && SameStrides(call->types[0].shape, view->strides, site.out_strides));
  if (!wanted) return;
  if (!cpu::PrepareStrided(site).ok() || !ReadersTake(out, site.out_strides)) return;
  result_.views[static_cast<size_t>(out)].strides = site.out_strides;
  laid_[static_cast<size_t>(out)] = true;
}

// A reader may have accepted a channels-last image because its own result could have that layout,
// which then was not chosen. One round over the nodes: returns true if every call still has a
// kernel for its inputs and outputs; the images of other calls become row-major again.
bool Arranger::Settled() {
  bool settled = true;
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    const NodeId id = static_cast<NodeId>(n);
    const auto call = result_.folded[n] ? std::nullopt : CallAt(id);
    if (!call) continue;
    const int64_t gap = LargestGap(plan_, id).size();
    const cpu::KernelSite site = result_.SiteOf(node, call->call, call->types, gap);
    if (!site.strided() && site.out_strides.empty()) continue;
    if (cpu::PrepareStrided(site).ok()) continue;
    for (ValueId input : node.inputs) settled = !MakeRowMajor(input) && settled;
    for (ValueId output : node.outputs) settled = !MakeRowMajor(output) && settled;
  }
  return settled;
}

// Returns whether the value was channels-last.
bool Arranger::MakeRowMajor(ValueId value) {
  if (value == kNone || !laid_[static_cast<size_t>(value)]) return false;
  laid_[static_cast<size_t>(value)] = false;
  result_.views[static_cast<size_t>(value)].strides.clear();
  return true;
}

}  // namespace

cpu::KernelSite Arrangement::SiteOf(const Node& node,
                                    const OpCall& call,
                                    std::span<const TensorType> types,
                                    int64_t free_bytes) const {
  cpu::KernelSite site{&call, types, free_bytes};
  for (ValueId input : node.inputs) {
    const size_t v = static_cast<size_t>(input);
    site.strides.push_back(input == kNone ? std::vector<int64_t>() : views[v].strides);
    site.owned.push_back(input != kNone && owned[v]);
  }
  if (!node.outputs.empty() && node.outputs[0] != kNone)
    site.out_strides = views[static_cast<size_t>(node.outputs[0])].strides;
  return site;
}

Arrangement Arrange(const Graph& graph, const OpTable& ops, BufferPlan& plan) {
  return Arranger(graph, ops, plan).Run();
}

}  // namespace metadist
