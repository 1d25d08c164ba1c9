// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "executor/cpu/makers.h"
#include "executor/cpu/multiversion.h"
#include "executor/cpu/row.h"
#include "executor/cpu/vector_math.h"

namespace metadist::cpu {
namespace {

// y[r, :] = softmax(x[r, :]).  x, y: [rows, columns] f32. The exponentials of several rows are one
// loop, as most of the time of a short row goes into its last elements, which fill no vector.
METADIST_MULTIVERSION
void SoftmaxRows(const float* x, float* y, int64_t rows, int64_t columns) {
  constexpr int64_t kBlock = 2048;  // elements, in the first cache
  const int64_t together = std::max<int64_t>(1, kBlock / columns);
  for (int64_t first = 0; first < rows; first += together) {
    const int64_t count = std::min(together, rows - first);
    const float* const from = x + first * columns;
    float* const to = y + first * columns;
    for (int64_t r = 0; r < count; ++r) {
      const float* const row = from + r * columns;
      const float highest = MaxRow(row, columns);
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

}  // namespace

Prepared Softmax(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32) return Decline("f32 only");
  const Shape& shape = site.shape(0);
  auto axis = NormalizeAxis(site.attributes().Int("axis", -1), static_cast<int64_t>(shape.size()));
  if (!axis.ok()) return Decline(axis.error().message);
  int64_t rows = 1;
  for (int64_t d = 0; d < axis.value(); ++d) rows *= shape[static_cast<size_t>(d)];
  const int64_t columns = shape[static_cast<size_t>(axis.value())];
  if (rows * columns != NumElements(shape) || columns == 0)
    return Decline("the axis is not contiguous");
  return Accept("rows", [rows, columns](const KernelArgs& args) -> Result<void> {
    SoftmaxRows(reinterpret_cast<const float*>(args.inputs[0]),
                reinterpret_cast<float*>(args.outputs[0]),
                rows,
                columns);
    return {};
  });
}

}  // namespace metadist::cpu
