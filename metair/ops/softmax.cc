// SPDX-License-Identifier: Apache-2.0
// y = exp(x - max(x)) / sum(exp(x - max(x))) along `axis`.
#include <algorithm>
#include <cmath>
#include <limits>

#include "metair/ops/call_check.h"
#include "metair/ops/ops.h"

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
    for (int64_t i = 0; i < size; ++i)
      sum += y[at + i * stride] = std::exp(x[at + i * stride] - highest);
    for (int64_t i = 0; i < size; ++i) y[at + i * stride] /= sum;
  }
  return {};
}

Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 5 * NumElements(outputs[0].shape), .bytes = 2 * outputs[0].bytes()};
}

std::vector<OpExample> Examples() {
  Attributes middle;
  middle.set("axis", int64_t{1});
  const TensorType type{ElementType::kF32, {3, 4, 5}};
  return {{.inputs = {{type}}}, {.inputs = {{type}}, .attributes = middle}};
}

}  // namespace

OpDef MakeSoftmax() {
  return {.name = "Softmax",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__Softmax.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .examples = Examples};
}

}  // namespace metadist::ops
