// SPDX-License-Identifier: Apache-2.0
// y = x - max(x) - ln(sum(exp(x - max(x)))) along `axis`.
#include <algorithm>
#include <cmath>
#include <limits>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).RankAtLeast(0, 1).Done());
  TRY(NormalizeAxis(call.attributes->Int("axis", -1), call.rank(0)));
  return std::vector<TensorType>{call.type(0)};
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", -1), in[0].rank()));
  const int64_t size = in[0].dim(axis);
  const int64_t stride = Strides(in[0].shape())[static_cast<size_t>(axis)];
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  for (int64_t line = 0; line < (size == 0 ? 0 : in[0].size() / size); ++line) {
    const int64_t at = line / stride * stride * size + line % stride;
    double highest = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < size; ++i) highest = std::max(highest, x[at + i * stride]);
    double sum = 0;
    for (int64_t i = 0; i < size; ++i) sum += std::exp(x[at + i * stride] - highest);
    const double log_sum = std::log(sum);
    for (int64_t i = 0; i < size; ++i) y[at + i * stride] = x[at + i * stride] - highest - log_sum;
  }
  return {};
}

Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 5 * NumElements(outputs[0].shape));
}

std::vector<OpExample> Examples() {
  using example::F32;
  using example::With;
  return {{.inputs = {F32({3, 4, 5})}},
          {.inputs = {F32({3, 4, 5})}, .attributes = With({{"axis", 1}})}};
}

}  // namespace

OpDef MakeLogSoftmax() {
  return {.name = "LogSoftmax",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__LogSoftmax.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .examples = Examples};
}

}  // namespace metadist::ops
