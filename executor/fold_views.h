// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/cpu/kernel.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/buffer_plan.h"

namespace metadist {

// Nodes that need not run, as whoever reads their results reads their operands instead.
struct FoldedViews {
  std::vector<bool> folded;  // by node
  std::vector<cpu::StridedView>
      views;  // by value: of input 0 of its producer, where that is folded
};

// Finds nodes that only move elements (transposes, slices, ...), all of whose readers have a kernel
// that takes strides. Lengthens lives in `plan`, so that the operand is still there; what would
// need more memory than planned stays.
FoldedViews FoldViews(const Graph& graph, const OpTable& ops, BufferPlan& plan);

}  // namespace metadist
