// SPDX-License-Identifier: Apache-2.0
#include "executor/run/stage_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "metair/ir/micro_batches.h"
#include "metair/ir/packing.h"

namespace metadist {
namespace {

constexpr std::byte kNothing{};  // address of arrays without elements

std::string NodeText(const Node& node) { return fmt::format("node '{}' ({})", node.name, node.op); }

// Whether the node moves data; a slice that is a prefix of its operand is a view.
bool Moves(const Node& node) { return CollectiveOf(node) && !IsPrefixSlice(node); }

}  // namespace

Result<StageTransfers> PlanStageTransfers(const Stage& stage) {
  StageTransfers transfers(stage.graph.nodes.size());
  for (size_t n = 0; n < stage.graph.nodes.size(); ++n) {
    const NodeId id = static_cast<NodeId>(n);
    const Node& node = stage.graph.nodes[n];
    if (!CollectiveOf(node)) continue;
    auto planned = PlanTransfers(StepOf(stage, id), MovedType(stage, id), stage.mesh);
    if (!planned.ok()) return std::move(planned).error().in(NodeText(node));
    transfers[n] = std::move(planned).value();
  }
  return transfers;
}

StageProgram::StageProgram(const Site& site)
    : site_(site), rank_(site.ranks.rank()), once_(NodesRunOnce(stage().graph)) {
  for (const StatePair& pair : stage().graph.state)
    if (pair.sums) sums_.push_back(pair.input);
}

const Stage& StageProgram::stage() const {
  return site_.program.stages[static_cast<size_t>(site_.stage)];
}

Result<std::unique_ptr<StageProgram>> StageProgram::Make(const Site& site) {
  auto made = std::make_unique<StageProgram>(site);
  made->graph_ = Instantiate(made->stage(), made->rank_);
  made->plan_ = PlanBuffers(made->graph_, site.ops);
  made->step_ = PlanStepBuffers(site.program, site.stage, made->graph_, made->plan_);
  TRY(made->Allocate());
  made->device_graph_ =
      site.device.Arrange(made->graph_, made->stage().fused, site.ops, made->plan_, made->buffers_);
  TRY(made->Prepare());
  TRY(made->device_graph_->Finish());
  TRY(made->KeepOutputs());
  TRY(made->AddCarries());
  return made;
}

Result<void> StageProgram::Allocate() {
  buffers_.at.assign(graph_.values.size(), const_cast<std::byte*>(&kNothing));
  buffers_.arena = TRY(site_.device.Allocate(plan_.arena_bytes, &buffers_.memory.arena_bytes));
  for (size_t v = 0; v < graph_.values.size(); ++v) TRY(AddValue(static_cast<ValueId>(v)));
  // Views of resident values, and results that overwrite a state in place.
  for (size_t v = 0; v < graph_.values.size(); ++v) {
    const BufferPlan::Slot& slot = plan_.slots[v];
    if (slot.place == BufferPlan::Place::kResident && slot.root != static_cast<ValueId>(v))
      buffers_.at[v] = buffers_.of(slot.root);
  }
  return {};
}

Result<void> StageProgram::AddValue(ValueId id) {
  const size_t v = static_cast<size_t>(id);
  const Value& value = graph_.values[v];
  // Localized literals of a node are extra values after those of the program, with local data.
  const bool shared = v < stage().shardings.size();
  std::vector<Tensor> parts;
  // Collective: every rank must take every value, even if it needs none of it.
  if (shared && value.kind != ValueKind::kResult) parts = TRY(site_.data(id));
  if (!shared) parts.push_back(value.data);
  const BufferPlan::Slot& slot = plan_.slots[v];
  if (slot.place == BufferPlan::Place::kArena) buffers_.at[v] = buffers_.arena + slot.offset;
  if (slot.place != BufferPlan::Place::kResident || value.kind == ValueKind::kResult) return {};
  int64_t* count = value.kind == ValueKind::kInput ? &buffers_.memory.input_bytes
                                                   : &buffers_.memory.parameter_bytes;
  buffers_.at[v] = TRY(site_.device.Allocate(slot.bytes, count));
  return Fill(id, slot, std::move(parts));
}

Result<void> StageProgram::Fill(ValueId id,
                                const BufferPlan::Slot& slot,
                                std::vector<Tensor> parts) {
  Value& value = graph_.value(id);
  if (parts.empty()) return {};  // received from another stage
  for (const Tensor& part : parts)
    if (!part.has_data() || part.type() != value.type)
      return Internal(fmt::format("value '{}' has no local data of its type", value.name));
  if (slot.packed) {
    std::vector<std::byte> packed(static_cast<size_t>(slot.bytes));
    metadist::Pack(value.type, parts[0].bytes(), packed.data());
    TRY(site_.device.Write(packed.data(), buffers_.of(id), slot.bytes));
  } else {
    TRY(site_.device.Write(parts[0].bytes(), buffers_.of(id), slot.bytes));
  }
  if (parts.size() > 1) TRY(AddBatches(id, parts));
  if (value.kind == ValueKind::kConstant) value.data = std::move(parts[0]);
  return {};
}

Result<void> StageProgram::AddBatches(ValueId id, const std::vector<Tensor>& parts) {
  const auto of = std::find_if(step_.inputs.begin(),
                               step_.inputs.end(),
                               [&](const StepBuffers::Batches& b) { return b.value == id; });
  if (of == step_.inputs.end() || of->count != static_cast<int64_t>(parts.size()))
    return Internal(fmt::format("value '{}' has other micro-batches", graph_.value(id).name));
  std::byte* const all = TRY(site_.device.Allocate(of->all_bytes(), &buffers_.memory.input_bytes));
  std::byte* to = all;
  for (const Tensor& part : parts) {
    TRY(site_.device.Write(part.bytes(), to, of->bytes));
    to += of->bytes;
  }
  batches_.push_back({*of, all});
  return {};
}

Result<void> StageProgram::Prepare() {
  const NodeId end = static_cast<NodeId>(graph_.nodes.size());
  const std::vector<NodeId> awaited = Awaited();
  NodeId after = kNone;  // what the next call has to wait for
  const auto add = [&](Call call) {
    if (!call.overlaps) call.after = std::exchange(after, kNone);
    calls_.push_back(std::move(call));
  };
  for (NodeId node = 0; node < end;) {
    after = std::max(after, awaited[static_cast<size_t>(node)]);
    if (Moves(graph_.node(node))) {
      add(TRY(TakeCollectives(node)));
      continue;
    }
    NodeId last = node + 1;
    while (last < end && !Moves(graph_.node(last)) && awaited[static_cast<size_t>(last)] == kNone)
      ++last;
    for (Call& call : TRY(device_graph_->Prepare(node, last))) add(std::move(call));
    node = last;
  }
  return {};
}

// By node: the last collective that overlaps nodes and must be done before it; kNone if there is
// none. Nodes that run as one wait before the first of them.
std::vector<NodeId> StageProgram::Awaited() const {
  std::vector<NodeId> first_of(graph_.nodes.size() + 1);  // of the nodes that run with each
  std::iota(first_of.begin(), first_of.end(), 0);
  for (const FusedNodes& group : stage().fused)
    for (NodeId node = group.front(); node <= group.back(); ++node)
      first_of[static_cast<size_t>(node)] = group.front();
  std::vector<NodeId> awaited(graph_.nodes.size() + 1, kNone);
  for (size_t n = 0; n < plan_.done_before.size(); ++n) {
    if (plan_.done_before[n] == kNone) continue;
    const NodeId before = first_of[static_cast<size_t>(plan_.done_before[n])];
    NodeId& last = awaited[static_cast<size_t>(std::max(before, static_cast<NodeId>(n + 1)))];
    last = std::max(last, static_cast<NodeId>(n));
  }
  return awaited;
}

// The collective at `node` and the others of its bundle as one call; sets `node` to the next node.
Result<Call> StageProgram::TakeCollectives(NodeId& node) {
  const auto bundle = BundleOf(graph_.node(node));
  const auto groups = [&](NodeId id) -> const std::vector<int64_t>& {
    return site_.transfers[static_cast<size_t>(id)][static_cast<size_t>(rank_)].group;
  };
  Call call{.node = node,
            .others = {},
            .kernel = graph_.node(node).op,
            .collective = true,
            .overlaps = Overlaps(graph_.node(node)),
            .run = {}};
  std::vector<TransferPart> parts;
  const NodeId first = node;
  const NodeId end = static_cast<NodeId>(graph_.nodes.size());
  for (; node < end; ++node) {
    const Node& next = graph_.node(node);
    const bool joins = Moves(next) && bundle && BundleOf(next) == bundle &&
                       groups(node) == groups(first) && Overlaps(next) == call.overlaps &&
                       once_[static_cast<size_t>(node)] == once_[static_cast<size_t>(first)];
    if (node != first && !joins) break;
    if (node != first) call.others.push_back(node);
    parts.push_back({&site_.transfers[static_cast<size_t>(node)],
                     buffers_.of(next.inputs[0]),
                     buffers_.of(next.outputs[0])});
  }
  auto step = site_.ranks.Prepare(std::move(parts));
  if (!step.ok()) return std::move(step).error().in(NodeText(graph_.node(first)));
  call.run = std::move(step).value();
  return call;
}

Result<void> StageProgram::KeepOutputs() {
  for (const StepBuffers::Batches& output : step_.outputs)
    kept_.push_back(
        {output, TRY(site_.device.Allocate(output.all_bytes(), &buffers_.memory.arena_bytes))});
  return {};
}

Result<void> StageProgram::AddCarries() {
  for (const auto& [state, bytes, staged] : step_.carries) {
    const std::byte* from = At(state.output);
    if (staged) {
      std::byte* const away = TRY(site_.device.Allocate(bytes, &buffers_.memory.arena_bytes));
      AddCopy({from, away, bytes}, state, staged_, staged_on_);
      from = away;
    }
    AddCopy({from, At(state.input), bytes}, state, carried_, carried_on_);
  }
  return {};
}

void StageProgram::AddCopy(const Copy& copy,
                           const StatePair& state,
                           std::vector<Copy>& at_end,
                           std::vector<Copy>& on) const {
  at_end.push_back(copy);
  if (state.sums || sums_.empty()) on.push_back(copy);
}

Result<void> StageProgram::ClearSums() {
  for (const ValueId id : sums_) TRY(site_.device.Clear(At(id), graph_.value(id).type.bytes()));
  return {};
}

Result<void> StageProgram::Load(int micro_batch) {
  for (const auto& [of, all] : batches_)
    TRY(site_.device.Copy(all + micro_batch * of.bytes, At(of.value), of.bytes));
  return {};
}

Result<void> StageProgram::Keep(int micro_batch) {
  for (const auto& [of, all] : kept_) {
    const int64_t at = of.count == 1 ? 0 : micro_batch * of.bytes;
    TRY(site_.device.Copy(At(of.value), all + at, of.bytes));
  }
  return {};
}

Result<void> StageProgram::CarryState(bool last) {
  for (const auto* copies : {last ? &staged_ : &staged_on_, last ? &carried_ : &carried_on_})
    for (const Copy& copy : *copies) TRY(site_.device.Copy(copy.from, copy.to, copy.bytes));
  return {};
}

Result<std::vector<Tensor>> StageProgram::Output(size_t position) const {
  const ValueId id = graph_.outputs[position];
  const TensorType& type = LocalType(id);
  std::vector<Tensor> out;
  const auto kept = std::find_if(kept_.begin(), kept_.end(), [&](const Batches& batches) {
    return batches.of.position == position;
  });
  const bool apart = kept != kept_.end();
  const int64_t count = apart ? kept->of.count : 1;
  const std::byte* const first = apart ? kept->all : At(id);
  for (int64_t i = 0; i < count; ++i) {
    Tensor part = Tensor::Unset(type);
    TRY(site_.device.Read(first + i * type.bytes(), part.mutable_bytes(), type.bytes()));
    out.push_back(std::move(part));
  }
  return out;
}

}  // namespace metadist
