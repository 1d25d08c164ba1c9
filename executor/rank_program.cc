// SPDX-License-Identifier: Apache-2.0
#include "executor/rank_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "executor/arena.h"
#include "executor/chain.h"
#include "metair/ir/packing.h"

namespace metadist {
namespace {

constexpr std::byte kNothing{};  // where arrays without elements lie

std::string NodeText(const Node& node) { return fmt::format("node '{}' ({})", node.name, node.op); }

TensorType TypeOf(const Graph& graph, ValueId id) {
  return id == kNone ? TensorType{} : graph.value(id).type;
}

}  // namespace

Result<std::unique_ptr<RankProgram>> RankProgram::Make(const SharedPlan& plan,
                                                       Communicator& world) {
  auto made = std::make_unique<RankProgram>();
  made->rank_ = world.rank();
  made->world_ = &world;
  made->graph_ = Instantiate(plan.program->stages[0], plan.program->mesh, made->rank_);
  TRY(made->Allocate(plan));
  made->arrangement_ = Arrange(made->graph_, *plan.ops, made->buffer_plan_);
  for (size_t n = 0; n < made->graph_.nodes.size(); ++n) {
    const NodeId node = static_cast<NodeId>(n);
    const bool collective = n < plan.transfers.size() && !plan.transfers[n].empty();
    auto added = collective ? made->AddCollective(plan, node) : made->AddKernel(plan, node);
    if (!added.ok()) return std::move(added).error().in(NodeText(made->graph_.node(node)));
  }
  made->scratch_ = made->allocator_.Allocate(made->scratch_bytes_, &made->memory_.scratch_bytes);
  TRY(made->Connect());
  if (plan.chains)
    made->steps_ =
        FuseChains(std::move(made->steps_),
                   {made->graph_, made->buffer_plan_, made->arrangement_, made->buffers_});
  return made;
}

Result<void> RankProgram::Allocate(const SharedPlan& plan) {
  const Stage& stage = plan.program->stages[0];
  const Mesh& mesh = plan.program->mesh;
  buffer_plan_ = PlanBuffers(graph_, *plan.ops);
  arena_ = allocator_.Allocate(buffer_plan_.arena_bytes, &memory_.arena_bytes);
  buffers_.assign(graph_.values.size(), const_cast<std::byte*>(&kNothing));
  for (size_t v = 0; v < graph_.values.size(); ++v) {
    Value& value = graph_.values[v];
    // Literals of one node have values of their own behind those of the program, and local data.
    const bool shared = v < plan.data.size();
    // All ranks take all values, whatever they need of them.
    const Tensor whole = shared ? TRY(plan.data.Take(v, *world_)) : value.data;
    const BufferPlan::Slot& slot = buffer_plan_.slots[v];
    if (slot.place == BufferPlan::Place::kNone) continue;
    if (slot.place == BufferPlan::Place::kArena) {
      buffers_[v] = arena_ + slot.offset;
      continue;
    }
    if (value.kind == ValueKind::kResult) {  // a view of something resident
      buffers_[v] = buffer(slot.root);
      continue;
    }
    int64_t* count =
        value.kind == ValueKind::kInput ? &memory_.input_bytes : &memory_.parameter_bytes;
    buffers_[v] = allocator_.Allocate(slot.bytes, count);
    const bool cut = shared && !stage.shardings[v].CuttingAxes().empty();
    Tensor local = cut ? SliceLocal(whole, stage.shardings[v], mesh, rank_) : whole;
    if (!local.has_data() || local.type() != value.type)
      return Internal(fmt::format("value '{}' has no local data of its type", value.name));
    if (slot.packed)
      metadist::Pack(value.type, local.bytes(), buffers_[v]);
    else
      std::memcpy(buffers_[v], local.bytes(), static_cast<size_t>(slot.bytes));
    if (value.kind == ValueKind::kConstant) value.data = std::move(local);
  }
  return {};
}

// Reorders a value in its own buffer; where the kernel's order has gaps, in a larger one.
void RankProgram::Pack(const cpu::Packing& packing, ValueId value) {
  std::byte*& bytes = buffers_[static_cast<size_t>(value)];
  const int64_t size = graph_.value(value).type.bytes();
  if (packing.bytes > size) {
    std::byte* const larger = allocator_.Allocate(packing.bytes, &memory_.parameter_bytes);
    packing.pack(bytes, larger);
    memory_.parameter_bytes -= allocator_.Release(bytes, size);
    bytes = larger;
    return;
  }
  const std::vector<std::byte> copy(bytes, bytes + size);
  packing.pack(copy.data(), bytes);
}

Result<void> RankProgram::AddKernel(const SharedPlan& plan, NodeId id) {
  const Node& node = graph_.node(id);
  const OpDef* op = plan.ops->Find(node);
  if (op == nullptr)
    return BadInput("", "the operator has no kernel", "such models can be planned, but not run");
  if (op->view && node.outputs[0] != kNone && node.inputs[0] != kNone &&
      buffer(node.outputs[0]) == buffer(node.inputs[0]))
    return {};
  if (arrangement_.folded[static_cast<size_t>(id)]) {
    const ValueId out = node.outputs[0];
    buffers_[static_cast<size_t>(out)] =
        buffer(node.inputs[0]) + arrangement_.views[static_cast<size_t>(out)].begin;
    return {};
  }
  const OpCall call = CallOf(*op, graph_, node);
  const std::vector<TensorType> inferred = TRY(InferTypes(call));
  std::vector<TensorType> types;
  RankStep step;
  step.node = id;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId out = node.outputs[i];
    types.push_back(out == kNone && i < inferred.size() ? inferred[i] : TypeOf(graph_, out));
    if (out != kNone && inferred[i] != types[i])
      return Internal(fmt::format("rank {} expects output {} to be {}, but the operator makes {}",
                                  rank_,
                                  i,
                                  TypeText(types[i]),
                                  TypeText(inferred[i])));
    step.outputs.push_back(out == kNone ? nullptr : buffer(out));
  }
  const Interval gap = LargestGap(buffer_plan_, id);
  cpu::Prepared prepared = cpu::Prepare(arrangement_.SiteOf(node, call, types, gap.size()));
  for (const cpu::Packing& packing : prepared.packings) Pack(packing, node.inputs[packing.input]);
  for (ValueId in : ReadsOf(node)) step.inputs.push_back(in == kNone ? nullptr : buffer(in));
  step.run = std::move(prepared.run);
  step.range = std::move(prepared.range);
  UnpackFirst(step);
  step.kernel = fmt::format("{}/{}", node.op, prepared.kernel);
  if (prepared.scratch_bytes <= gap.size())
    step.scratch = arena_ + gap.begin;
  else
    scratch_bytes_ = std::max(scratch_bytes_, prepared.scratch_bytes);
  steps_.push_back(std::move(step));
  return {};
}

// Hands the step copies of what it reads packed, which it makes before it runs.
void RankProgram::UnpackFirst(RankStep& step) const {
  const std::vector<ValueId> reads = ReadsOf(graph_.node(step.node));
  for (size_t u = 0; u < buffer_plan_.unpackings.size(); ++u) {
    const auto& [node, value] = buffer_plan_.unpackings[u];
    if (node != step.node) continue;
    std::byte* const copy = arena_ + buffer_plan_.slots[graph_.values.size() + u].offset;
    for (size_t i = 0; i < reads.size(); ++i)
      if (reads[i] == value) step.inputs[i] = copy;
    step.range = {};
    step.run = [type = graph_.value(value).type,
                packed = buffer(value),
                copy,
                run = std::move(step.run)](const cpu::KernelArgs& args) {
      Unpack(type, packed, copy);
      return run(args);
    };
  }
}

Result<void> RankProgram::AddCollective(const SharedPlan& plan, NodeId id) {
  const Node& node = graph_.node(id);
  if (TakesHead(node)) return {};  // there already
  TransferPart part;
  part.transfer = &plan.transfers[static_cast<size_t>(id)][static_cast<size_t>(rank_)];
  Communicator* const group = TRY(groups_.For(*part.transfer, *world_));
  const auto bundle = BundleOf(node);
  const bool joins = bundle && !steps_.empty() && steps_.back().transfers() &&
                     BundleOf(graph_.node(steps_.back().node)) == bundle;
  if (joins && steps_.back().group == group) {
    steps_.back().others.push_back(id);
    steps_.back().parts.push_back(std::move(part));
    return {};
  }
  RankStep step;
  step.node = id;
  step.kernel = node.op;
  step.group = group;
  step.parts.push_back(std::move(part));
  steps_.push_back(std::move(step));
  return {};
}

// Tells the others where this rank's buffers lie, and learns where theirs do.
Result<void> RankProgram::Connect() {
  const std::span<void* const> peers = TRY(world_->Exchange(&buffers_));
  for (RankStep& step : steps_) {
    for (size_t p = 0; p < step.parts.size(); ++p) {
      const Node& node = graph_.node(p == 0 ? step.node : step.others[p - 1]);
      for (void* peer : peers) {
        const auto& buffers = *static_cast<const std::vector<std::byte*>*>(peer);
        step.parts[p].sources.push_back(buffers[static_cast<size_t>(node.inputs[0])]);
        step.parts[p].targets.push_back(buffers[static_cast<size_t>(node.outputs[0])]);
      }
    }
  }
  return {};
}

Result<void> RankProgram::Run(const RankStep& step) {
  if (!step.transfers()) {
    std::byte* const scratch = step.scratch != nullptr ? step.scratch : scratch_;
    return step.run({step.inputs, step.outputs, scratch});
  }
  return RunTransfers(step.parts, rank_, step.group);
}

Tensor RankProgram::Local(ValueId value) const {
  return Tensor::Mapped(graph_.value(value).type, nullptr, buffer(value));
}

}  // namespace metadist
