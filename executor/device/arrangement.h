// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/cpu/kernel.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/buffer_plan.h"

namespace metadist {

// The memory layout of values, decided before kernels are prepared.
struct Arrangement {
  // By node: it does not run, because every reader of its result reads its operand instead.
  std::vector<bool> folded;
  // By value: its strides if it is not row-major. If its producer is folded, a view of the
  // producer's input 0, which starts `begin` bytes after that input.
  std::vector<cpu::StridedView> views;
  // By value: it never changes and has a single reader, which may reorder it.
  std::vector<bool> owned;

  // The call of a node as passed to kernels. `call` and `types` must outlive the site.
  cpu::KernelSite SiteOf(const Node& node,
                         const OpCall& call,
                         std::span<const TensorType> types,
                         int64_t free_bytes) const;
};

// Folds nodes that only move elements (transposes, slices, ...) into readers that accept strides,
// and makes images channels-last where kernels prefer that and all readers accept it. Extends
// lifetimes in `plan` so that operands stay available; changes that would need more memory than
// planned are not made.
Arrangement Arrange(const Graph& graph, const OpTable& ops, BufferPlan& plan);

}  // namespace metadist
