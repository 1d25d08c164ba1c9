// SPDX-License-Identifier: Apache-2.0
#include "executor/fold_views.h"

#include <algorithm>

#include "executor/arena.h"
#include "metair/spmd/collective.h"

namespace metadist {
namespace {

class Folder {
 public:
  Folder(const Graph& graph, const OpTable& ops, BufferPlan& plan)
      : graph_(graph), ops_(ops), plan_(plan), uses_(UsesOf(graph)) {
    result_.folded.assign(graph.nodes.size(), false);
    result_.views.resize(graph.values.size());
  }

  FoldedViews Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) Visit(static_cast<NodeId>(n));
    return std::move(result_);
  }

 private:
  void Visit(NodeId id);
  std::optional<cpu::StridedView> ViewOf(NodeId id) const;
  bool Reads(NodeId reader, ValueId value, const cpu::StridedView& view) const;
  // Types of the outputs of a node that has kernels; nullopt: it has none.
  std::optional<std::vector<TensorType>> TypesOf(const Node& node, OpCall& call) const;

  const Graph& graph_;
  const OpTable& ops_;
  BufferPlan& plan_;
  const std::vector<std::vector<Use>> uses_;
  FoldedViews result_;
};

std::optional<std::vector<TensorType>> Folder::TypesOf(const Node& node, OpCall& call) const {
  const OpDef* op = ops_.Find(node);
  if (op == nullptr || CollectiveOf(node) || !node.regions.empty()) return std::nullopt;
  call = CallOf(*op, graph_, node);
  auto types = InferTypes(call);
  if (!types.ok()) return std::nullopt;
  return std::move(types).value();
}

std::optional<cpu::StridedView> Folder::ViewOf(NodeId id) const {
  const Node& node = graph_.node(id);
  if (node.outputs.size() != 1 || node.inputs.empty() || node.inputs[0] == kNone)
    return std::nullopt;
  const NodeId producer = graph_.value(node.inputs[0]).producer;
  if (producer != kNone && result_.folded[static_cast<size_t>(producer)]) return std::nullopt;
  OpCall call;
  const auto types = TypesOf(node, call);
  if (!types) return std::nullopt;
  return cpu::PrepareStrided({&call, *types}).view;
}

bool Folder::Reads(NodeId reader, ValueId value, const cpu::StridedView& view) const {
  const Node& node = graph_.node(reader);
  OpCall call;
  const auto types = TypesOf(node, call);
  if (!types || call.op->view) return false;
  cpu::KernelSite site{&call, *types, LargestGap(plan_, reader).size()};
  for (ValueId input : node.inputs)
    site.strides.push_back(input == value   ? view.strides
                           : input == kNone ? std::vector<int64_t>()
                                            : result_.views[static_cast<size_t>(input)].strides);
  return cpu::PrepareStrided(site).ok();
}

void Folder::Visit(NodeId id) {
  const Node& node = graph_.node(id);
  const auto view = ViewOf(id);
  if (!view) return;
  const ValueId out = node.outputs[0];
  const std::vector<Use>& uses = uses_[static_cast<size_t>(out)];
  NodeId last = id;
  for (const Use& use : uses) {
    if (use.node == kNone || !Reads(use.node, out, *view)) return;
    last = std::max(last, use.node);
  }
  if (uses.empty() || !KeepUntil(plan_, node.inputs[0], last)) return;
  result_.folded[static_cast<size_t>(id)] = true;
  result_.views[static_cast<size_t>(out)] = *view;
}

}  // namespace

FoldedViews FoldViews(const Graph& graph, const OpTable& ops, BufferPlan& plan) {
  return Folder(graph, ops, plan).Run();
}

}  // namespace metadist
