// SPDX-License-Identifier: Apache-2.0
#include "metair/spmd/step_buffers.h"

namespace metadist {
namespace {

// What PlanStepBuffers is given.
struct StageOnRank {
  const Program& program;
  const int index;
  const Graph& local;
  const BufferPlan& plan;

  const BufferPlan::Slot& SlotOf(ValueId value) const {
    return plan.slots[static_cast<size_t>(value)];
  }
};

std::vector<StepBuffers::Batches> BatchedInputs(const StageOnRank& on) {
  std::vector<StepBuffers::Batches> out;
  const int count = on.program.micro_batches();
  for (size_t i = 0; i < on.local.inputs.size(); ++i) {
    const ValueId id = on.local.inputs[i];
    const int64_t bytes = on.SlotOf(id).bytes;
    if (count == 1 || bytes == 0 || on.program.IsReceived(on.index, i) ||
        !on.program.IsBatched(on.local.value(id).name))
      continue;
    out.push_back({i, id, bytes, count});
  }
  return out;
}

std::vector<StepBuffers::Batches> KeptOutputs(const StageOnRank& on) {
  std::vector<bool> changes(on.local.values.size(), false);  // once the step has ended
  for (const StatePair& pair : on.local.state)
    if (on.SlotOf(pair.input).rewritten == kNone) changes[static_cast<size_t>(pair.input)] = true;
  const Stage& stage = on.program.stages[static_cast<size_t>(on.index)];
  std::vector<StepBuffers::Batches> out;
  for (size_t i = 0; i < on.local.outputs.size(); ++i) {
    if (on.program.IsSent(on.index, i)) continue;
    const ValueId id = on.local.outputs[i];
    const bool batched = on.program.IsBatched(stage.NameOfOutput(i));
    const int count = batched ? on.program.micro_batches() : 1;
    if (count == 1 && !changes[static_cast<size_t>(on.SlotOf(id).root)]) continue;
    out.push_back({i, id, KnownBytes(on.local.value(id).type), count});
  }
  return out;
}

std::vector<StepBuffers::Carry> CarriesOf(const StageOnRank& on) {
  std::vector<StepBuffers::Carry> out;
  for (const StatePair& pair : on.local.state) {
    const BufferPlan::Slot& after = on.SlotOf(pair.output);
    const int64_t bytes = KnownBytes(on.local.value(pair.input).type);
    if (bytes == 0 || after.root == pair.input) continue;
    out.push_back({pair, bytes, after.place == BufferPlan::Place::kResident});
  }
  return out;
}

}  // namespace

int64_t StepBuffers::input_bytes() const {
  int64_t sum = 0;
  for (const Batches& input : inputs) sum += input.all_bytes();
  return sum;
}

int64_t StepBuffers::result_bytes() const {
  int64_t sum = 0;
  for (const Batches& output : outputs) sum += output.all_bytes();
  for (const Carry& carry : carries) sum += carry.staged ? carry.bytes : 0;
  return sum;
}

StepBuffers PlanStepBuffers(const Program& program,
                            int stage,
                            const Graph& local,
                            const BufferPlan& plan) {
  const StageOnRank on{program, stage, local, plan};
  return {BatchedInputs(on), KeptOutputs(on), CarriesOf(on)};
}

}  // namespace metadist
