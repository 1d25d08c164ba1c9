// SPDX-License-Identifier: Apache-2.0
// The transpose of a convolution: for every element of x, the weight scaled by it is added to the
// output under the window's position. weight: [c, m / group, kernel...].
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/convolution.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/window.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<Window> WindowForConvTranspose(const OpCall& call) {
  const Shape& x = call.shape(0);
  const Shape& weight = call.shape(1);
  return TransposedWindowOf(
      *call.attributes, {x.begin() + 2, x.end()}, {weight.begin() + 2, weight.end()});
}

Result<std::vector<TensorType>> InferConvTranspose(const OpCall& call) {
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
    return BadCall("input 1 must have {} dims, got {}", x.size(), ShapeText(weight));
  const int64_t group = call.attributes->Int("group", 1);
  const Shape kernel = call.attributes->Ints("kernel_shape", {weight.begin() + 2, weight.end()});
  CallCheck check(call);
  check.That(group >= 1 && x[1] % std::max<int64_t>(group, 1) == 0,
             "{} channels do not split in {} groups",
             x[1],
             group);
  check.That(x[1] == weight[0], "{} channels need a weight of as many, got {}", x[1], weight[0]);
  check.That(kernel == Shape(weight.begin() + 2, weight.end()),
             "kernel_shape {} differs from that of the weight {}",
             ShapeText(kernel),
             ShapeText(weight));
  check.That(!call.has(2) || call.shape(2) == Shape{weight[1] * group},
             "the bias must have {} elements",
             weight[1] * group);
  TRY(check.Done());
  const Window window = TRY(WindowForConvTranspose(call));
  TensorType type{call.type(0).element, {x[0], weight[1] * group}};
  type.shape.insert(type.shape.end(), window.input.begin(), window.input.end());
  TRY(CheckedElements(type.shape, type.element));
  return std::vector<TensorType>{type};
}

Result<void> ConvTransposeReference(const OpCall& call,
                                    std::span<const Tensor> in,
                                    std::span<Tensor> out) {
  const Window window = TRY(WindowForConvTranspose(call));
  const std::vector<int64_t> taps = TapsOf(window);
  const int64_t group = call.attributes->Int("group", 1);
  const int64_t filters = in[1].dim(1);  // per group
  const int64_t channels = in[0].dim(1) / group;
  const int64_t positions = NumElements(window.output);
  const int64_t spatial = NumElements(window.input);
  const int64_t kernel = NumElements(window.kernel);
  for (int64_t plane = 0; plane < out[0].dim(0) * out[0].dim(1); ++plane) {
    const int64_t n = plane / (filters * group);
    const int64_t m = plane % (filters * group);
    double* y = out[0].mutable_data<double>() + plane * spatial;
    if (call.has(2)) std::fill(y, y + spatial, in[2].data<double>()[m]);
    for (int64_t c = m / filters * channels; c < (m / filters + 1) * channels; ++c) {
      const double* x = in[0].data<double>() + (n * in[0].dim(1) + c) * positions;
      const double* weight = in[1].data<double>() + (c * filters + m % filters) * kernel;
      for (int64_t i = 0; i < positions * kernel; ++i) {
        const int64_t at = taps[static_cast<size_t>(i)];
        if (at >= 0) y[at] += x[i / kernel] * weight[i % kernel];
      }
    }
  }
  return {};
}

// A given output size is converted to pads, or to the padding added at the end of the output.
Result<Spelling> SpellConvTranspose(const OpCall& call) {
  Spelling spelling = Spelling::Of(call);
  const Window window = TRY(WindowForConvTranspose(call));
  std::vector<int64_t> added;
  for (size_t d = 0; d < window.output.size(); ++d) {
    const int64_t reached = window.strides[d] * (window.output[d] - 1) +
                            (window.kernel[d] - 1) * window.dilations[d] + 1;
    added.push_back(std::max<int64_t>(
        window.input[d] + window.pads_begin[d] + window.pads_end[d] - reached, 0));
  }
  SpellWindow(window, spelling.attributes);
  spelling.attributes.erase("output_shape");
  spelling.attributes.set("output_padding", added);
  spelling.attributes.set("group", call.attributes->Int("group", 1));
  return spelling;
}

// Modelled as the product of x with the weight, before it is summed under the window.
Work WorkForConvTranspose(const OpCall& call, std::span<const TensorType> outputs) {
  const Shape& weight = call.shape(1);
  const int64_t group = call.attributes->Int("group", 1);
  const int64_t size = NumElements(call.shape(0));
  const int64_t columns = NumElements({weight.begin() + 1, weight.end()});
  const int64_t added = call.has(2) ? NumElements(outputs[0].shape) : 0;
  Work work = FlopsWork(call, outputs, 2 * size * columns + added);
  if (weight[0] == 0) return work;
  work.batch = group;
  work.m = size / weight[0];
  work.n = columns;
  work.k = weight[0] / group;
  return work;
}

std::vector<OpExample> ConvTransposeExamples() {
  return {{.inputs = {F32({2, 4, 5, 5}), F32({4, 6, 2, 2}), F32({6})},
           .attributes = {{"strides", List{2, 2}}}},
          {.inputs = {F32({2, 4, 5, 4}), F32({4, 6, 3, 3})},
           .attributes = {{"pads", List{1, 1, 1, 1}},
                          {"strides", List{2, 1}},
                          {"output_padding", List{1, 0}}}},
          {.inputs = {F32({1, 4, 6}), F32({4, 3, 3}), F32({6})},
           .attributes = {{"group", 2}, {"strides", List{2}}, {"auto_pad", "SAME_LOWER"}}},
          {.inputs = {F32({1, 2, 4, 4}), F32({2, 3, 3, 3})},
           .attributes = {{"strides", List{3, 2}}, {"output_shape", List{10, 8}}}},
          {.inputs = {F32({2, 3, 7}), F32({3, 4, 3})}, .attributes = {{"dilations", List{2}}}}};
}

Result<void> ConvTransposeGradient(GradientCall& g) {
  const Window window = TRY(WindowForConvTranspose(g.call()));
  const Attributes attributes = ConvolutionAttributes(g.call(), window);
  g.Give(1, g.dy().Apply("metadist.ConvWeightGradient", {g.x()}, attributes));
  Term dx = g.dy().Apply("Conv", {g.x(1)}, attributes);
  for (size_t d = 2; d < dx.shape().size(); ++d)  // padding of the output may give more positions
    if (const int64_t size = g.call().shape(0)[d]; dx.shape()[d] > size)
      dx = dx.Sliced(static_cast<int64_t>(d), 0, size);
  g.Give(0, dx);
  g.Give(2, g.dy().SumAllBut({1}, /*keep=*/false));
  return {};
}

}  // namespace

OpDef MakeConvTranspose() {
  return {.name = "ConvTranspose",
          .since_version = 22,
          .infer = InferConvTranspose,
          .reference = ConvTransposeReference,
          .spell = SpellConvTranspose,
          .gradient = ConvTransposeGradient,
          .work = WorkForConvTranspose,
          .examples = ConvTransposeExamples};
}

}  // namespace metadist::ops
