// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_def.h"

// Shared by operators that process the lines of an array along one axis separately.
namespace metadist {

// Elements first, first + stride, ... of a row-major array.
struct Line {
  int64_t first = 0;
  int64_t stride = 1;
  int64_t size = 0;
};

// A row-major array seen as [outer, size, inner] around one axis.
struct AxisSplit {
  int64_t outer = 1;  // product of the dims before the axis
  int64_t size = 1;   // of the axis
  int64_t inner = 1;  // product of the dims after it: the stride along the axis
};

// axis: in [0, rank).
AxisSplit SplitAround(const Shape& shape, int64_t axis);

// Visits the lines along `axis`, in [0, rank), in row-major order of the other dims. Empty lines
// are not visited.
template <typename Visitor>
void ForEachLine(const Shape& shape, int64_t axis, Visitor&& visit) {
  const AxisSplit split = SplitAround(shape, axis);
  if (split.size == 0) return;
  for (int64_t o = 0; o < split.outer; ++o)
    for (int64_t i = 0; i < split.inner; ++i)
      visit(Line{o * split.size * split.inner + i, split.inner, split.size});
}

// Attribute `axis` (default -1) as an axis of input 0.
Result<int64_t> LineAxis(const OpCall& call);
// Input 0: floats with at least one dim; an output of the same type.
Result<std::vector<TensorType>> InferLines(const OpCall& call);
// y = log softmax of x along `axis`; both f64 and of equal shape.
void LogSoftmaxLines(const Tensor& x, int64_t axis, Tensor& y);
// Five flops per element.
Work NormalizedLinesWork(const OpCall& call, std::span<const TensorType> outputs);
// With the last axis and with a middle one.
std::vector<OpExample> LinesExamples();

}  // namespace metadist
