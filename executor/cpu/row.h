// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "executor/cpu/multiversion.h"

// Reductions of a contiguous row of f32. Sixteen fixed lanes let the compiler vectorise without
// reordering sums: every instruction set gives the same bits.
namespace metadist::cpu {

inline constexpr int64_t kLanes = 16;

// sum of f(x[i]).
template <typename Function>
METADIST_INLINE float SumRow(const float* x, int64_t count, Function f) {
  float lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t j = 0; j < kLanes; ++j) lane[j] += f(x[i + j]);
  for (int64_t j = 0; i + j < count; ++j) lane[j] += f(x[i + j]);
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t j = 0; j < width; ++j) lane[j] += lane[j + width];
  return lane[0];
}

// The largest element; count > 0. NaN is passed over.
METADIST_INLINE float MaxRow(const float* x, int64_t count) {
  float lane[kLanes];
  for (int64_t j = 0; j < kLanes; ++j) lane[j] = x[0];
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t j = 0; j < kLanes; ++j) lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
  for (int64_t j = 0; i + j < count; ++j) lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t j = 0; j < width; ++j)
      lane[j] = lane[j + width] > lane[j] ? lane[j + width] : lane[j];
  return lane[0];
}

}  // namespace metadist::cpu
