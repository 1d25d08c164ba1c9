// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/op_table.h"
#include "metair/spmd/program.h"

namespace metadist {

// Bytes on one rank.
struct MemoryUse {
  int64_t parameters = 0;
  int64_t gradients = 0;    // of trained parameters, when most results are live, and their sums
  int64_t optimizer = 0;    // its states
  int64_t activations = 0;  // other results, redistributed copies, kept outputs, copies of states
  int64_t buffers = 0;      // other graph inputs, of all micro-batches, and constants
  int64_t peak_bytes() const { return parameters + gradients + optimizer + activations + buffers; }
  bool operator==(const MemoryUse&) const = default;
};

// Bytes as the executor allocates them (PlanBuffers, PlanStepBuffers), without the scratch memory
// of kernels. rank: of the program.
MemoryUse MemoryOfRank(const Program& program, int64_t rank, const OpTable& ops);
// On the fullest rank.
MemoryUse MemoryOf(const Program& program, const OpTable& ops);

}  // namespace metadist
