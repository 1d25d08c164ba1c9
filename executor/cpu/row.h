// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ir/multiversion.h"
#include "metair/ops/extremes.h"

// Reductions of a contiguous row of f32. Sixteen fixed lanes let the compiler vectorise without
// reordering sums: every instruction set gives the same bits.
namespace metadist::cpu {

inline constexpr int64_t kLanes = 16;

// sum of f(x[i]). The tail is processed in fixed sizes too, so that lanes stay in registers.
template <typename Function>
METADIST_INLINE float SumRow(const float* x, int64_t count, Function f) {
  float lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t j = 0; j < kLanes; ++j) lane[j] += f(x[i + j]);
  if (i + 8 <= count) {
    for (int64_t j = 0; j < 8; ++j) lane[j] += f(x[i + j]);
    i += 8;
  }
  float rest = 0;
  for (; i < count; ++i) rest += f(x[i]);
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t j = 0; j < width; ++j) lane[j] += lane[j + width];
  return lane[0] + rest;
}

// The larger of two numbers; b if either is NaN. Takes half the time of Larger.
METADIST_INLINE float LargerNumber(float a, float b) { return a > b ? a : b; }

// The largest element by `larger`: LargerNumber or Larger; count > 0. With LargerNumber, NaN is
// ignored unless it is the first element.
template <typename Function>
METADIST_INLINE float MaxRow(const float* x, int64_t count, Function larger) {
  float lane[kLanes];
  for (int64_t j = 0; j < kLanes; ++j) lane[j] = x[0];
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t j = 0; j < kLanes; ++j) lane[j] = larger(x[i + j], lane[j]);
  float rest = x[0];
  for (; i < count; ++i) rest = larger(x[i], rest);
  for (int64_t width = kLanes / 2; width > 0; width /= 2)
    for (int64_t j = 0; j < width; ++j) lane[j] = larger(lane[j + width], lane[j]);
  return larger(rest, lane[0]);
}

// highest[i] = the largest of x[:, i], by LargerNumber. x: `columns` rows of `width` elements,
// `inner` apart.
METADIST_INLINE void MaxColumns(
    const float* x, int64_t columns, int64_t inner, int64_t width, float* highest) {
  for (int64_t i = 0; i < width; ++i) highest[i] = x[i];
  for (int64_t c = 1; c < columns; ++c)
    for (int64_t i = 0; i < width; ++i) highest[i] = LargerNumber(x[c * inner + i], highest[i]);
}

}  // namespace metadist::cpu
