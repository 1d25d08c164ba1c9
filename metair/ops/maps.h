// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_def.h"

// Per-dim index maps of operators, for reference kernels and faster ones.
namespace metadist {

// For each dim of the padded array, the index in input 0 of each position; -1: the constant.
// Errors: kBadInput for pads that are not known or do not fit the shape or the mode.
Result<std::vector<std::vector<int64_t>>> PadMaps(const OpCall& call);

// An element that contributes to a resized position, and its weight.
struct ResizeTap {
  int64_t index = 0;
  double weight = 0;
};
// By dim, then by position along it; no taps: outside the resized region.
using ResizeTables = std::vector<std::vector<std::vector<ResizeTap>>>;

// roi: nullptr if no region is given. Errors: kBadInput for sizes that are invalid or not known.
Result<ResizeTables> ResizeTablesOf(const OpCall& call, const double* roi);

}  // namespace metadist
