// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "executor/comm/transport.h"
#include "executor/device/device.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/program.h"
#include "metair/spmd/step_buffers.h"

namespace metadist {

// Transfers of every collective of a stage: by node id, then by rank; empty if the node is no
// collective.
using StageTransfers = std::vector<std::vector<Transfer>>;
// Errors: kInternal with the node, for a step that PlanTransfers rejects.
Result<StageTransfers> PlanStageTransfers(const Stage& stage);

// Source of a rank's parts of a stage's data: of an input, parameter or constant, one array, or one
// for each micro-batch; none for an input that another stage sends. All ranks of the stage must
// request the same values in the same order.
using LocalData = std::function<Result<std::vector<Tensor>>(ValueId value)>;

// A stage of a program on one rank: buffers allocated and filled, calls prepared.
class StageProgram {
 public:
  // All referenced objects must outlive the program.
  struct Site {
    const Program& program;
    int stage;
    const StageTransfers& transfers;
    const OpTable& ops;
    Transport& ranks;  // of the stage
    Device& device;
    const LocalData& data;
  };
  // Collective over the stage's ranks. Errors: kBadInput, kInternal with the node; kDevice.
  static Result<std::unique_ptr<StageProgram>> Make(const Site& site);

  // In execution order.
  const std::vector<Call>& calls() const { return calls_; }
  // Whether the call runs for the last micro-batch only.
  bool RunsOnce(const Call& call) const { return once_[static_cast<size_t>(call.node)]; }
  const RankMemory& memory() const { return buffers_.memory; }
  std::byte* At(ValueId value) const { return buffers_.at[static_cast<size_t>(value)]; }
  const TensorType& LocalType(ValueId value) const { return graph_.value(value).type; }
  int64_t rank() const { return rank_; }

  // Before the first micro-batch: sums start at zero.
  Result<void> ClearSums();
  // Copies the micro-batch's part of batched inputs to where the calls read it.
  Result<void> Load(int micro_batch);
  // Saves the micro-batch's outputs that the rest of the step would overwrite.
  Result<void> Keep(int micro_batch);
  // Copies state at the end of a micro-batch to where the next one reads it.
  Result<void> CarryState(bool last);
  bool sums() const { return !sums_.empty(); }
  bool loads() const { return !batches_.empty(); }
  bool keeps() const { return !kept_.empty(); }
  bool carries(bool last) const { return !(last ? carried_ : carried_on_).empty(); }

  // A copy of the rank's parts of an output, by position: one for each micro-batch, or only that of
  // the last.
  Result<std::vector<Tensor>> Output(size_t position) const;

  explicit StageProgram(const Site& site);  // for Make

 private:
  // A memory copy.
  struct Copy {
    const std::byte* from = nullptr;
    std::byte* to = nullptr;
    int64_t bytes = 0;
  };
  // Copies of an input or output besides its own buffer.
  struct Batches {
    StepBuffers::Batches of;
    std::byte* all = nullptr;
  };

  Result<void> Allocate();
  Result<void> AddValue(ValueId id);
  Result<void> Fill(ValueId id, const BufferPlan::Slot& slot, std::vector<Tensor> parts);
  Result<void> Prepare();
  std::vector<NodeId> Awaited() const;
  Result<Call> TakeCollectives(NodeId& node);
  Result<void> AddBatches(ValueId id, const std::vector<Tensor>& parts);
  Result<void> KeepOutputs();
  Result<void> AddCarries();
  void AddCopy(const Copy& copy,
               const StatePair& state,
               std::vector<Copy>& at_end,
               std::vector<Copy>& on) const;
  const Stage& stage() const;

  const Site site_;
  const int64_t rank_;  // in the stage's mesh
  Graph graph_;
  BufferPlan plan_;
  StepBuffers step_;
  RankBuffers buffers_;
  const std::vector<bool> once_;  // by node (NodesRunOnce)
  std::vector<ValueId> sums_;
  std::unique_ptr<DeviceGraph> device_graph_;
  std::vector<Call> calls_;
  std::vector<Batches> batches_;  // of inputs
  std::vector<Batches> kept_;     // of outputs
  // New states after the last micro-batch; those in resident buffers are copied aside first.
  std::vector<Copy> staged_;
  std::vector<Copy> carried_;
  // The same after the others.
  std::vector<Copy> staged_on_;
  std::vector<Copy> carried_on_;
};

}  // namespace metadist
