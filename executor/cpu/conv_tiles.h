// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// Steps, gaps and padding of a window over planes: rows, then columns.
struct PlaneWindow {
  int64_t row_step = 1;
  int64_t column_step = 1;
  int64_t row_gap = 1;
  int64_t column_gap = 1;
  int64_t pad_top = 0;
  int64_t pad_left = 0;
};

// The most bytes a convolution may take beside its operands: what lies idle, or a small part of
// them, so that predictions of memory, which know nothing of kernels, hold.
int64_t ConvScratchLimit(const KernelSite& site);

// y = w * x + b over planes, f32: tiles of output pixels are unfolded into columns and multiplied
// with the weights. Declines nothing that the operator accepts with explicit padding.
Prepared ConvByTiles(const KernelSite& site, const PlaneWindow& window);

}  // namespace metadist::cpu
