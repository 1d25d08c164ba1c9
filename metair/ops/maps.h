// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_def.h"

// What operators do to each dim of an array on its own, for the reference kernels and faster ones.
namespace metadist {

// For each dim of the padded array, where its places come from in input 0; -1: the constant.
// Errors: kBadInput for pads that do not fit the shape or the mode, or are not known.
Result<std::vector<std::vector<int64_t>>> PadMaps(const OpCall& call);

// An element that counts towards a resized place, and how much.
struct ResizeTap {
  int64_t index = 0;
  double weight = 0;
};
// By dim, by place along it; no taps: outside the region that is resized.
using ResizeTables = std::vector<std::vector<std::vector<ResizeTap>>>;

// roi: nullptr where no region is given. Errors: kBadInput for sizes that cannot be made, or are
// not known.
Result<ResizeTables> ResizeTablesOf(const OpCall& call, const double* roi);

}  // namespace metadist
