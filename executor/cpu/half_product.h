// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y[i, m, n] = sum over k of a[i, m, k] b[i, k, n], a and b f16 or bf16, y alike or f32, all row by
// row. Inputs 0 and 1 of the call, output 0.
struct HalfProductShape {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t k = 0;
  int64_t n = 0;
};

// By f32 products of one matrix and some columns of b at a time. Declines where that is all there
// is (via_f32.h does it).
Prepared PrepareHalfProduct(const KernelSite& site, const HalfProductShape& shape);

}  // namespace metadist::cpu
