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

// y = w * x + b over planes, f32, with little memory beside the operands. Supports every call of
// the operator with explicit padding.
Prepared ConvByPlanes(const KernelSite& site, const PlaneWindow& window);

}  // namespace metadist::cpu
