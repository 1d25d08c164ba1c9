// SPDX-License-Identifier: Apache-2.0
// The mean under each position of a sliding window, over its taps inside x (count_include_pad = 1:
// or the padding).
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/window.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<Window> WindowOf(const OpCall& call) {
  const Shape& x = call.shape(0);
  return metadist::WindowOf(
      *call.attributes, {x.begin() + 2, x.end()}, call.attributes->Ints("kernel_shape"));
}

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).RankAtLeast(0, 3).Done());
  const Window window = TRY(WindowOf(call));
  TensorType type{call.type(0).element, {call.shape(0)[0], call.shape(0)[1]}};
  type.shape.insert(type.shape.end(), window.output.begin(), window.output.end());
  return std::vector<TensorType>{type};
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Window window = TRY(WindowOf(call));
  const bool count_padding = call.attributes->Int("count_include_pad", 0) != 0;
  const std::vector<int64_t> taps = TapsOf(window);
  const int64_t spatial = NumElements(window.input);
  const int64_t positions = NumElements(window.output);
  const int64_t kernel = NumElements(window.kernel);
  double* y = out[0].mutable_data<double>();
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const double* x = in[0].data<double>() + i / positions * spatial;
    double sum = 0;
    int64_t count = 0;
    for (int64_t tap = 0; tap < kernel; ++tap) {
      const int64_t at = taps[static_cast<size_t>(i % positions * kernel + tap)];
      if (at >= 0) sum += x[at];
      if (at >= 0 || (at == kPadding && count_padding)) ++count;
    }
    y[i] = sum / static_cast<double>(count);
  }
  return {};
}

Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t kernel = NumElements(call.attributes->Ints("kernel_shape"));
  return FlopsWork(call, outputs, kernel * NumElements(outputs[0].shape));
}

std::vector<OpExample> Examples() {
  using example::F32;
  using example::With;
  using List = std::vector<int64_t>;
  return {
      {.inputs = {F32({2, 3, 6, 6})},
       .attributes = With({{"kernel_shape", List{2, 2}}, {"strides", List{2, 2}}})},
      {.inputs = {F32({1, 3, 7, 5})},
       .attributes = With({{"kernel_shape", List{3, 3}}, {"pads", List{1, 1, 1, 1}}})},
      {.inputs = {F32({1, 3, 7, 5})},
       .attributes = With(
           {{"kernel_shape", List{3, 3}}, {"pads", List{1, 1, 1, 1}}, {"count_include_pad", 1}})}};
}

}  // namespace

OpDef MakeAveragePool() {
  return {.name = "AveragePool",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__AveragePool.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .examples = Examples};
}

}  // namespace metadist::ops
