// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y[..., m, n] = sum over steps and k of a[..., m, k] b[..., k, n], f32. The operands have the same
// number of dims; a batch dim of size 1 of a or b is broadcast. Strides in elements. If the columns
// of y are not contiguous, a few rows at a time are computed in scratch memory.
struct MatrixBatch {
  struct Operand {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
    size_t input = 0;  // of the call; unused for y
  };
  // An additional summed dim: the offsets of a and b from one step to the next.
  struct Step {
    int64_t size = 1;
    int64_t a = 0;
    int64_t b = 0;
  };
  Operand a, b, y;
  std::vector<Step> steps = {};
};

// By oneDNN, or by plain products if they are small or oneDNN needs much scratch memory.
Prepared PrepareProducts(const KernelSite& site, const MatrixBatch& batch);

}  // namespace metadist::cpu
