// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "executor/comm/communicator.h"
#include "executor/cpu/kernel.h"
#include "executor/transfer_run.h"
#include "metair/ir/graph.h"

namespace metadist {

// One node as a rank executes it, or several that are executed as one.
struct RankStep {
  NodeId node = kNone;         // the first
  std::vector<NodeId> others;  // that run with it, ascending
  std::string kernel;          // of a chain: those of its nodes, joined by '+'
  // A kernel, with its arguments.
  cpu::Runner run;
  cpu::RangeKernel range;  // the same in parts, if it can be
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  std::byte* scratch = nullptr;  // in a gap of the arena; else the program's own
  // A collective, or a bundle of them.
  std::vector<TransferPart> parts;
  Communicator* group = nullptr;  // nullptr: local

  bool transfers() const { return !parts.empty(); }
};

}  // namespace metadist
