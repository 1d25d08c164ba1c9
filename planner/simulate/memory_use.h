// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ops/op_table.h"
#include "metair/spmd/program.h"

namespace metadist {

// Bytes on one rank.
struct MemoryUse {
  int64_t parameters = 0;
  int64_t activations = 0;  // results, redistributed copies, what a step keeps of them
  int64_t buffers = 0;      // graph inputs, of all micro-batches, and constants
  int64_t peak_bytes() const { return parameters + activations + buffers; }
  bool operator==(const MemoryUse&) const = default;
};

// As the executor will allocate them (PlanBuffers, PlanStepBuffers), but what single kernels need.
// rank: of the program.
MemoryUse MemoryOfRank(const Program& program, int64_t rank, const OpTable& ops);
// On the fullest rank.
MemoryUse MemoryOf(const Program& program, const OpTable& ops);

}  // namespace metadist
