// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace metadist::cpu {

// y = alpha a p + beta y + bias for a few columns, f32, without any memory beside the operands.
//
// Row (c, t) of the right operand p is at p + c * p_step + taps[t]; its factor in row i of the left
// operand is a[i * a_row + c * a_step + t]. A plain matrix has the single tap 0; the planes of a
// convolution have one tap for each element of the window. If `columns` is no multiple of 16, rows
// of p are read beyond it, up to kPanelColumns elements, so a last panel must be padded.
struct PanelProduct {
  int64_t rows = 0;
  int64_t columns = 0;  // at most kPanelColumns
  int64_t depth = 0;    // number of values of c
  std::span<const int64_t> taps;

  const float* a = nullptr;
  int64_t a_row = 0;
  int64_t a_step = 0;
  const float* p = nullptr;
  int64_t p_step = 0;
  float* y = nullptr;
  int64_t y_row = 0;

  float alpha = 1;
  float beta = 0;               // 0: y is not read
  const float* bias = nullptr;  // per row; nullptr: none
};

inline constexpr int64_t kPanelColumns = 32;

void Multiply(const PanelProduct& product);

// y[i, j] = alpha a_i . b_j + beta y[i, j] for rows a_i and b_j, i < rows and j < columns: few rows
// on the left and a transposed matrix on the right.
struct DotProducts {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  const float* a = nullptr;
  int64_t a_row = 0;
  const float* b = nullptr;
  int64_t b_row = 0;
  float* y = nullptr;
  int64_t y_row = 0;
  float alpha = 1;
  float beta = 0;
};

void Multiply(const DotProducts& products);

}  // namespace metadist::cpu
