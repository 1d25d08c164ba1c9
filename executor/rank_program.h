// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "executor/arrangement.h"
#include "executor/bind_data.h"
#include "executor/comm/communicator.h"
#include "executor/cpu/kernel.h"
#include "executor/memory.h"
#include "executor/rank_step.h"
#include "executor/run.h"
#include "executor/transfer.h"
#include "executor/transfer_run.h"
#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/program.h"

namespace metadist {

// What all ranks of a run share, made once.
struct SharedPlan {
  const Program* program = nullptr;
  const OpTable* ops = nullptr;
  WholeData data;
  std::vector<std::vector<Transfer>> transfers;  // by node id, then by rank; empty: no collective
  bool chains = true;                            // elementwise nodes run as one
};

// The program of one rank, ready to run: buffers allocated and filled, kernels chosen. Made and run
// by the thread of the rank.
class RankProgram {
 public:
  // Collective; `world` must outlive the program. Errors: kBadInput, kInternal with the node;
  // kDevice.
  static Result<std::unique_ptr<RankProgram>> Make(const SharedPlan& plan, Communicator& world);

  const std::vector<RankStep>& steps() const { return steps_; }
  const RankMemory& memory() const { return memory_; }
  // Runs one step of the program; allocates nothing.
  Result<void> Run(const RankStep& step);
  // The local array of a value, valid while this object lives.
  Tensor Local(ValueId value) const;

 private:
  Result<void> Allocate(const SharedPlan& plan);
  Result<void> AddKernel(const SharedPlan& plan, NodeId node);
  Result<void> AddCollective(const SharedPlan& plan, NodeId node);
  Result<void> Connect();
  void Pack(const cpu::Packing& packing, ValueId value);
  void UnpackFirst(RankStep& step) const;
  std::byte* buffer(ValueId value) const { return buffers_[static_cast<size_t>(value)]; }

  int64_t rank_ = 0;
  Communicator* world_ = nullptr;
  TransferGroups groups_;
  Graph graph_;
  BufferPlan buffer_plan_;
  Arrangement arrangement_;
  CountingAllocator allocator_;
  RankMemory memory_;
  std::vector<std::byte*> buffers_;  // by value id
  std::byte* arena_ = nullptr;
  int64_t scratch_bytes_ = 0;  // what the neediest kernel wants that finds no gap in the arena
  std::byte* scratch_ = nullptr;
  std::vector<RankStep> steps_;
};

}  // namespace metadist
