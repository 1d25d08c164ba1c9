// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/work.h"

namespace metadist {

AxisSplit SplitAround(const Shape& shape, int64_t axis) {
  AxisSplit split;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    (d < axis    ? split.outer
     : d == axis ? split.size
                 : split.inner) *= shape[static_cast<size_t>(d)];
  return split;
}

Result<int64_t> LineAxis(const OpCall& call) {
  return NormalizeAxis(call.attributes->Int("axis", -1), call.rank(0));
}

Result<std::vector<TensorType>> InferLines(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).RankAtLeast(0, 1).Done());
  TRY(LineAxis(call));
  return std::vector<TensorType>{call.type(0)};
}

void LogSoftmaxLines(const Tensor& x, int64_t axis, Tensor& y) {
  const double* from = x.data<double>();
  double* to = y.mutable_data<double>();
  ForEachLine(x.shape(), axis, [&](const Line& line) {
    const int64_t end = line.first + line.size * line.stride;
    double highest = -std::numeric_limits<double>::infinity();
    for (int64_t i = line.first; i < end; i += line.stride) highest = std::max(highest, from[i]);
    double sum = 0;
    for (int64_t i = line.first; i < end; i += line.stride) sum += std::exp(from[i] - highest);
    const double log_sum = std::log(sum);
    for (int64_t i = line.first; i < end; i += line.stride) to[i] = from[i] - highest - log_sum;
  });
}

Work NormalizedLinesWork(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 5 * NumElements(outputs[0].shape));
}

std::vector<OpExample> LinesExamples() {
  return {{.inputs = {F32({3, 4, 5})}}, {.inputs = {F32({3, 4, 5})}, .attributes = {{"axis", 1}}}};
}

}  // namespace metadist
