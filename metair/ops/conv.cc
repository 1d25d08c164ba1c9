// SPDX-License-Identifier: Apache-2.0
// y[n, m] = bias[m] + sum over the channels c of m's group: x[n, c] correlated with weight[m, c].
#include <fmt/format.h>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/window.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

// x: [n, c, spatial...], weight: [m, c / group, kernel...], bias: [m], y: [n, m, positions...].
Result<Window> WindowOf(const OpCall& call) {
  const Shape& x = call.shape(0);
  const Shape& weight = call.shape(1);
  return metadist::WindowOf(
      *call.attributes, {x.begin() + 2, x.end()}, {weight.begin() + 2, weight.end()});
}

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2, 3)
          .Floats(0)
          .SameElement(0, 1)
          .SameElement(0, 2)
          .RankAtLeast(0, 3)
          .Done());
  const Shape& x = call.shape(0);
  const Shape& weight = call.shape(1);
  if (weight.size() != x.size())
    return BadInput("",
                    fmt::format("input 1 must have {} dims, got {}", x.size(), ShapeText(weight)));
  const int64_t group = call.attributes->Int("group", 1);
  const Shape kernel = call.attributes->Ints("kernel_shape", {weight.begin() + 2, weight.end()});
  CallCheck check(call);
  check.That(group >= 1, fmt::format("group must be at least 1, got {}", group));
  check.That(kernel == Shape(weight.begin() + 2, weight.end()),
             fmt::format("kernel_shape {} differs from that of the weight {}",
                         ShapeText(kernel),
                         ShapeText(weight)));
  TRY(check.Done());
  check.That(x[1] % group == 0 && x[1] / group == weight[1],
             fmt::format("{} channels in {} groups need a weight of {}, got {}",
                         x[1],
                         group,
                         x[1] / group,
                         weight[1]));
  check.That(weight[0] % group == 0,
             fmt::format("{} filters do not split in {} groups", weight[0], group));
  check.That(!call.has(2) || call.shape(2) == Shape{weight[0]},
             fmt::format("the bias must have {} elements", weight[0]));
  TRY(check.Done());
  const Window window = TRY(WindowOf(call));
  TensorType type{call.type(0).element, {x[0], weight[0]}};
  type.shape.insert(type.shape.end(), window.output.begin(), window.output.end());
  return std::vector<TensorType>{type};
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const Window window = TRY(WindowOf(call));
  const std::vector<int64_t> taps = TapsOf(window);
  const int64_t channels = in[1].dim(1);  // of one group
  const int64_t filters = in[1].dim(0);
  const int64_t group = call.attributes->Int("group", 1);
  const int64_t spatial = NumElements(window.input);
  const int64_t positions = NumElements(window.output);
  const int64_t kernel = NumElements(window.kernel);
  const double* bias = call.has(2) ? in[2].data<double>() : nullptr;
  double* y = out[0].mutable_data<double>();
  for (int64_t plane = 0; plane < in[0].dim(0) * filters; ++plane) {
    const int64_t n = plane / filters;
    const int64_t m = plane % filters;
    const int64_t first = m / (filters / group) * channels;
    const double* x = in[0].data<double>() + (n * in[0].dim(1) + first) * spatial;
    const double* weight = in[1].data<double>() + m * channels * kernel;
    for (int64_t position = 0; position < positions; ++position) {
      double sum = bias == nullptr ? 0 : bias[m];
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t tap = 0; tap < kernel; ++tap) {
          const int64_t at = taps[static_cast<size_t>(position * kernel + tap)];
          if (at >= 0) sum += x[c * spatial + at] * weight[c * kernel + tap];
        }
      }
      y[plane * positions + position] = sum;
    }
  }
  return {};
}

// As the matrix product of im2col, one for each group.
Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) {
  const Shape& weight = call.shape(1);
  const int64_t group = call.attributes->Int("group", 1);
  const int64_t kernel = NumElements({weight.begin() + 1, weight.end()});
  const int64_t size = NumElements(outputs[0].shape);
  Work work = FlopsWork(call, outputs, 2 * size * kernel + (call.has(2) ? size : 0));
  if (weight[0] == 0) return work;
  work.batch = group;
  work.m = size / weight[0];
  work.n = weight[0] / group;
  work.k = kernel;
  return work;
}

std::vector<OpExample> Examples() {
  using example::F32;
  using example::With;
  using List = std::vector<int64_t>;
  return {{.inputs = {F32({2, 4, 6, 6}), F32({8, 4, 3, 3}), F32({8})},
           .attributes = With({{"pads", List{1, 1, 1, 1}}, {"kernel_shape", List{3, 3}}})},
          {.inputs = {F32({2, 4, 7, 5}), F32({6, 4, 1, 1})},
           .attributes = With({{"strides", List{2, 2}}})},
          {.inputs = {F32({1, 4, 6, 6}), F32({6, 2, 3, 3}), F32({6})},
           .attributes = With({{"group", 2}, {"strides", List{2, 1}}, {"auto_pad", "SAME_UPPER"}})},
          {.inputs = {F32({2, 3, 9}), F32({4, 3, 3}), F32({4})},
           .attributes = With({{"dilations", List{2}}, {"pads", List{1, 2}}})},
          {.inputs = {F32({1, 3, 8, 8}), F32({4, 3, 4, 4}), F32({4})},
           .attributes = With({{"strides", List{4, 4}}})}};
}

}  // namespace

OpDef MakeConv() {
  return {.name = "Conv",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__Conv.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .examples = Examples};
}

}  // namespace metadist::ops
