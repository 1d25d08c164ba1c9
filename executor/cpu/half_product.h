// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y[i, m, n] = sum over k of a[i, m, k] b[i, k, n]; a and b f16 or bf16, y of the same type or f32;
// all row-major. a and b are inputs 0 and 1 of the call, y is output 0.
struct HalfProductShape {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t k = 0;
  int64_t n = 0;
};

// By f32 products of one matrix of a with some columns of b at a time. Declines if a single such
// product would cover the call (via_f32.h handles it).
Prepared PrepareHalfProduct(const KernelSite& site, const HalfProductShape& shape);

}  // namespace metadist::cpu
