// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "executor/cpu/kernel.h"

namespace metadist::cpu {

// y = alpha a b + beta y for f32 matrices a[m, k], b[k, n] and y[m, n], strides in elements.
// Columns of y are contiguous; b is read fastest if one of its strides is 1.
struct PlainProduct {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t a_row = 0;
  int64_t a_column = 1;
  int64_t b_row = 0;
  int64_t b_column = 1;
  float alpha = 1;
  float beta = 0;
  int64_t y_row = 0;  // 0: n

  // Bytes of scratch with which Run is fast: none, or at most `limit`, but up to 1 KiB if needed.
  // With less, Run uses more and shorter strips.
  int64_t ScratchBytes(int64_t limit) const;
  void Run(const float* a, const float* b, float* y, float* scratch, int64_t scratch_bytes) const;
  // Whether there is so little work, done without scratch, that a library call would take longer.
  bool small() const;

 private:
  bool by_dots() const;
  int64_t y_step() const { return y_row == 0 ? n : y_row; }
  int64_t direct_columns() const;
  void RunPacked(const float* a, const float* b, float* y, float* scratch, int64_t depth) const;
};

// The most bytes that a product or a convolution may use beside its operands: the idle memory, or a
// small part of the operands' size, because memory predictions do not include kernels' scratch. At
// least 1 KiB.
int64_t ScratchLimit(const KernelSite& site);

}  // namespace metadist::cpu
