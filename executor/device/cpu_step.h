// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "executor/cpu/kernel.h"
#include "metair/ir/graph.h"

namespace metadist {

// One node as a core runs it, or a chain of several: a kernel with its arguments.
struct CpuStep {
  NodeId node = kNone;         // the first one
  std::vector<NodeId> others;  // nodes that run with it, ascending
  std::string kernel;          // of a chain: those of its nodes, joined by '+'
  cpu::Runner run;
  cpu::RangeKernel range;  // computes the same in ranges, if the kernel can
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  std::byte* scratch = nullptr;  // in a gap of the arena, else the graph's own
};

}  // namespace metadist
