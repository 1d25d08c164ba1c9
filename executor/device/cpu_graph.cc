// SPDX-License-Identifier: Apache-2.0
#include "executor/device/cpu_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "executor/device/arena.h"
#include "executor/device/chain.h"
#include "metair/ir/packing.h"
#include "metair/spmd/collective.h"

namespace metadist {
namespace {

TensorType TypeOf(const Graph& graph, ValueId id) {
  return id == kNone ? TensorType{} : graph.value(id).type;
}

}  // namespace

CpuGraph::CpuGraph(const Site& site, std::span<const FusedNodes> fused)
    : site_(site),
      arrangement_(metadist::Arrange(site.graph, site.ops, site.plan)),
      group_of_(site.graph.nodes.size(), -1) {
  for (size_t g = 0; g < fused.size(); ++g)
    for (const NodeId node : fused[g]) group_of_[static_cast<size_t>(node)] = static_cast<int>(g);
  if (!fused.empty())
    chains_ = std::make_unique<const ChainBuffers>(
        ChainSite{site_.graph, site_.plan, arrangement_, site_.buffers.at});
}

Result<std::vector<Call>> CpuGraph::Prepare(NodeId first, NodeId last) {
  std::vector<CpuStep> steps;
  for (NodeId id = first; id < last; ++id) {
    const Node& node = site_.graph.node(id);
    if (CollectiveOf(node)) continue;  // its result is already in place
    auto added = AddKernel(id, steps);
    if (!added.ok())
      return std::move(added).error().in(fmt::format("node '{}' ({})", node.name, node.op));
  }
  if (chains_ != nullptr) steps = RunInChains(std::move(steps), site_.graph, group_of_, *chains_);
  std::vector<Call> calls;
  for (CpuStep& step : steps) {
    Call call{.node = step.node, .others = step.others, .kernel = step.kernel, .run = {}};
    call.run = [this, own = std::make_shared<const CpuStep>(std::move(step))] {
      return own->run(
          {own->inputs, own->outputs, own->scratch != nullptr ? own->scratch : scratch_});
    };
    calls.push_back(std::move(call));
  }
  return calls;
}

Result<void> CpuGraph::Finish() {
  scratch_ = site_.allocator.Allocate(scratch_bytes_, &site_.buffers.memory.scratch_bytes);
  return {};
}

// Reorders a value in its own buffer, or in a larger one if the kernel's order has gaps.
void CpuGraph::Pack(const cpu::Packing& packing, ValueId value) {
  std::byte*& bytes = buffer(value);
  const int64_t size = site_.graph.value(value).type.bytes();
  if (packing.bytes > size) {
    int64_t& count = site_.buffers.memory.parameter_bytes;
    std::byte* const larger = site_.allocator.Allocate(packing.bytes, &count);
    packing.pack(bytes, larger);
    count -= site_.allocator.Release(bytes, size);
    bytes = larger;
    return;
  }
  const std::vector<std::byte> copy(bytes, bytes + size);
  packing.pack(copy.data(), bytes);
}

Result<void> CpuGraph::AddKernel(NodeId id, std::vector<CpuStep>& steps) {
  const Graph& graph = site_.graph;
  const Node& node = graph.node(id);
  const OpDef* op = site_.ops.Find(node);
  if (op == nullptr)
    return BadInput("", "the operator has no kernel", "such models can be planned, but not run");
  if (op->view && node.outputs[0] != kNone && node.inputs[0] != kNone &&
      buffer(node.outputs[0]) == buffer(node.inputs[0]))
    return {};
  if (arrangement_.folded[static_cast<size_t>(id)]) {
    const ValueId out = node.outputs[0];
    buffer(out) = buffer(node.inputs[0]) + arrangement_.views[static_cast<size_t>(out)].begin;
    return {};
  }
  const OpCall call = CallOf(*op, graph, node);
  const std::vector<TensorType> inferred = TRY(InferTypes(call));
  std::vector<TensorType> types;
  CpuStep step;
  step.node = id;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId out = node.outputs[i];
    types.push_back(out == kNone && i < inferred.size() ? inferred[i] : TypeOf(graph, out));
    if (out != kNone && inferred[i] != types[i])
      return Internal(fmt::format("output {} must be {}, but the operator makes {}",
                                  i,
                                  TypeText(types[i]),
                                  TypeText(inferred[i])));
    step.outputs.push_back(out == kNone ? nullptr : buffer(out));
  }
  const Interval gap = LargestGap(site_.plan, id);
  cpu::Prepared prepared = cpu::Prepare(arrangement_.SiteOf(node, call, types, gap.size()));
  for (const cpu::Packing& packing : prepared.packings) Pack(packing, node.inputs[packing.input]);
  for (ValueId in : ReadsOf(node)) step.inputs.push_back(in == kNone ? nullptr : buffer(in));
  step.run = std::move(prepared.run);
  step.range = std::move(prepared.range);
  UnpackFirst(step);
  step.kernel = fmt::format("{}/{}", node.op, prepared.kernel);
  if (prepared.scratch_bytes <= gap.size())
    step.scratch = site_.buffers.arena + gap.begin;
  else
    scratch_bytes_ = std::max(scratch_bytes_, prepared.scratch_bytes);
  steps.push_back(std::move(step));
  return {};
}

// Lets the step unpack the packed values it reads into buffers of their own before it runs.
void CpuGraph::UnpackFirst(CpuStep& step) const {
  const std::vector<ValueId> reads = ReadsOf(site_.graph.node(step.node));
  for (size_t u = 0; u < site_.plan.unpackings.size(); ++u) {
    const auto& [node, value] = site_.plan.unpackings[u];
    if (node != step.node) continue;
    std::byte* const copy =
        site_.buffers.arena + site_.plan.slots[site_.graph.values.size() + u].offset;
    for (size_t i = 0; i < reads.size(); ++i)
      if (reads[i] == value) step.inputs[i] = copy;
    step.range = {};
    step.run = [type = site_.graph.value(value).type,
                packed = buffer(value),
                copy,
                run = std::move(step.run)](const cpu::KernelArgs& args) {
      Unpack(type, packed, copy);
      return run(args);
    };
  }
}

}  // namespace metadist
