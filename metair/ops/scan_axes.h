// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist {

// The axes of a scan. Its inputs are states, then arrays that are read slice by slice; its outputs
// are states, then stacks of slices.
struct ScanAxes {
  size_t states = 0;
  size_t arrays = 0;
  int64_t rounds = 0;
  std::vector<int64_t> input_axes;    // by array, not negative
  std::vector<bool> input_reversed;   // by array
  std::vector<int64_t> output_axes;   // by stack, not negative, in the stack
  std::vector<bool> output_reversed;  // by stack
};

// body_output_ranks: ranks of the body's results, in order; if empty, the fields of stacks are not
// set. Errors: kBadInput.
Result<ScanAxes> ReadScanAxes(const OpCall& call, const std::vector<int64_t>& body_output_ranks);

}  // namespace metadist
