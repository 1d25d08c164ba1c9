// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/cpu/kernel.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/buffer_plan.h"

namespace metadist {

// How values lie in memory, decided before kernels are prepared.
struct Arrangement {
  // By node: it need not run, as whoever reads its result reads its operand instead.
  std::vector<bool> folded;
  // By value: its strides where it does not lie row by row; where its producer is folded, of input
  // 0 of the producer, `begin` bytes behind which it starts.
  std::vector<cpu::StridedView> views;
  // By value: it never changes and has one reader, who may reorder it.
  std::vector<bool> owned;

  // The call of a node as kernels see it. `call` and `types` must outlive the site.
  cpu::KernelSite SiteOf(const Node& node,
                         const OpCall& call,
                         std::span<const TensorType> types,
                         int64_t free_bytes) const;
};

// Folds nodes that only move elements (transposes, slices, ...) into readers that take strides, and
// lays images with their channels last where kernels like that better and all readers take it.
// Lengthens lives in `plan` so that operands are still there; what would need more memory than
// planned is left alone.
Arrangement Arrange(const Graph& graph, const OpTable& ops, BufferPlan& plan);

}  // namespace metadist
