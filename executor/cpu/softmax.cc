// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu/softmax.h"

#include <algorithm>
#include <cmath>

#include "executor/cpu/half_floats.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/row.h"
#include "executor/cpu/vector_math.h"
#include "metair/ir/multiversion.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {

// The exponentials of several rows are computed in one loop, because most of the time of a short
// row is spent on its last elements, which do not fill a vector.
METADIST_MULTIVERSION
void SoftmaxRows(const float* x, float* y, int64_t rows, int64_t columns) {
  constexpr int64_t kBlock = 2048;  // elements, fits the L1 cache
  const int64_t together = std::max<int64_t>(1, kBlock / columns);
  for (int64_t first = 0; first < rows; first += together) {
    const int64_t count = std::min(together, rows - first);
    const float* const from = x + first * columns;
    float* const to = y + first * columns;
    for (int64_t r = 0; r < count; ++r) {
      const float* const row = from + r * columns;
      const float highest = MaxRow(row, columns, LargerNumber);
      for (int64_t i = 0; i < columns; ++i) to[r * columns + i] = row[i] - highest;
    }
    for (int64_t i = 0; i < count * columns; ++i) to[i] = Exp(to[i]);
    for (int64_t r = 0; r < count; ++r) {
      float* const row = to + r * columns;
      const float scale = 1.0f / SumRow(row, columns, [](float a) { return a; });
      for (int64_t i = 0; i < columns; ++i) row[i] *= scale;
    }
  }
}

// Exponentials are computed in a separate loop, a few at a time.
METADIST_MULTIVERSION
float LogSumExp(const float* x, int64_t count) {
  constexpr int64_t kFew = 256;
  float few[kFew];
  const float highest = MaxRow(x, count, LargerNumber);
  float sum = 0;
  for (int64_t first = 0; first < count; first += kFew) {
    const int64_t some = std::min(kFew, count - first);
    for (int64_t i = 0; i < some; ++i) few[i] = Exp(x[first + i] - highest);
    sum += SumRow(few, some, [](float a) { return a; });
  }
  return highest + std::log(sum);
}

namespace {

// y[o, :, i] = softmax(x[o, :, i]).  x, y: [outer, columns, inner] f32. Processes up to kWidth
// adjacent values of i side by side.
METADIST_MULTIVERSION
void SoftmaxColumns(const float* x, float* y, int64_t outer, int64_t columns, int64_t inner) {
  constexpr int64_t kWidth = 64;
  for (int64_t o = 0; o < outer; ++o, x += columns * inner, y += columns * inner)
    for (int64_t first = 0; first < inner; first += kWidth) {
      const int64_t width = std::min(kWidth, inner - first);
      const float* const from = x + first;
      float* const to = y + first;
      float highest[kWidth];
      float scale[kWidth] = {};
      MaxColumns(from, columns, inner, width, highest);
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t i = 0; i < width; ++i) to[c * inner + i] = from[c * inner + i] - highest[i];
      // Contiguous short rows are one loop.
      const int64_t length = width == inner ? columns * inner : width;
      for (int64_t begin = 0; begin < columns * inner; begin += std::max(length, inner))
        for (int64_t i = begin; i < begin + length; ++i) to[i] = Exp(to[i]);
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t i = 0; i < width; ++i) scale[i] += to[c * inner + i];
      for (int64_t i = 0; i < width; ++i) scale[i] = 1.0f / scale[i];
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t i = 0; i < width; ++i) to[c * inner + i] *= scale[i];
    }
}

// y = x - log(sum e^x) for rows, and for columns as above.
void LogRows(const float* x, float* y, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r, x += columns, y += columns) {
    const float log = LogSumExp(x, columns);
    for (int64_t i = 0; i < columns; ++i) y[i] = x[i] - log;
  }
}

METADIST_MULTIVERSION
void LogColumns(const float* x, float* y, int64_t outer, int64_t columns, int64_t inner) {
  constexpr int64_t kWidth = 64;
  for (int64_t o = 0; o < outer; ++o, x += columns * inner, y += columns * inner)
    for (int64_t first = 0; first < inner; first += kWidth) {
      const int64_t width = std::min(kWidth, inner - first);
      const float* const from = x + first;
      float* const to = y + first;
      float highest[kWidth];
      float sum[kWidth] = {};
      MaxColumns(from, columns, inner, width, highest);
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t i = 0; i < width; ++i) sum[i] += Exp(from[c * inner + i] - highest[i]);
      for (int64_t i = 0; i < width; ++i) sum[i] = std::log(sum[i]);
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t i = 0; i < width; ++i)
          to[c * inner + i] = from[c * inner + i] - highest[i] - sum[i];
    }
}

using RowFunction = void (*)(const float*, float*, int64_t, int64_t);
using ColumnFunction = void (*)(const float*, float*, int64_t, int64_t, int64_t);

// Converts some rows at a time to floats in scratch memory; `by_row` may write in place.
Prepared HalfRows(ElementType type, const AxisSplit& split, RowFunction by_row) {
  constexpr int64_t kFloats = 8192;
  const int64_t together = std::clamp(kFloats / split.size, int64_t{1}, split.outer);
  const int64_t scratch = together * split.size * ByteSize(ElementType::kF32);
  return Accept(
      "rows via f32",
      [=](const KernelArgs& args) {
        auto* const floats = reinterpret_cast<float*>(args.scratch);
        for (int64_t first = 0; first < split.outer; first += together) {
          const int64_t rows = std::min(together, split.outer - first);
          const int64_t begin = first * split.size * ByteSize(type);
          WidenHalves(type, args.inputs[0] + begin, floats, rows * split.size);
          by_row(floats, floats, rows, split.size);
          NarrowToHalves(type, floats, args.outputs[0] + begin, rows * split.size);
        }
      },
      scratch);
}

Prepared Bind(const KernelSite& site, RowFunction by_row, ColumnFunction by_column) {
  const ElementType type = site.element(0);
  if (type != ElementType::kF32 && !IsHalf(type)) return Decline("f32 only");
  const Shape& shape = site.shape(0);
  const auto axis = site.Axis(-1);
  if (!axis.ok()) return Decline(axis.error().message);
  if (NumElements(shape) == 0) return Decline("nothing to do");
  const AxisSplit split = SplitAround(shape, axis.value());
  if (IsHalf(type)) {
    const bool rows = split.inner == 1 && site.out().element == type;
    return rows ? HalfRows(type, split, by_row) : Decline("f32 only");
  }
  return Accept(split.inner > 1 ? "columns" : "rows", [=](const KernelArgs& args) {
    const auto* x = args.in(0);
    auto* y = args.out();
    if (split.inner > 1)
      by_column(x, y, split.outer, split.size, split.inner);
    else
      by_row(x, y, split.outer, split.size);
  });
}

}  // namespace

Prepared Softmax(const KernelSite& site) { return Bind(site, SoftmaxRows, SoftmaxColumns); }
Prepared LogSoftmax(const KernelSite& site) { return Bind(site, LogRows, LogColumns); }

}  // namespace metadist::cpu
