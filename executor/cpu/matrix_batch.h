// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y[..., m, n] = sum over steps and k of a[..., m, k] b[..., k, n], f32. The operands have equally
// many dims; a batch dim of size 1 of a or b is repeated. Strides in elements. Where neighbouring
// columns of y are no neighbours in memory, a few rows at a time are made in scratch memory.
struct MatrixBatch {
  struct Operand {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
    size_t input = 0;  // of the call; unused for y
  };
  // A further summed dim: what one step moves a and b by.
  struct Step {
    int64_t size = 1;
    int64_t a = 0;
    int64_t b = 0;
  };
  Operand a, b, y;
  std::vector<Step> steps = {};
};

// By oneDNN, or plain products where these are small or where it asks for much scratch memory.
Prepared PrepareProducts(const KernelSite& site, const MatrixBatch& batch);

}  // namespace metadist::cpu
