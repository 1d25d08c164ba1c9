// SPDX-License-Identifier: Apache-2.0
// The gradient of the weight of y = Conv(x, weight), given that of y: for filter m, channel c of
// its group and tap t, the sum over images n and positions p of dy[n, m, p] times the element of
// x[n, c] under tap t of position p. Elements of x outside its dims count as 0, so that any number
// of positions is legal; of `pads` the first half matters.
#include "metair/ops/call_check.h"
#include "metair/ops/convolution.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<Window> WeightWindow(const OpCall& call) {
  const Shape& x = call.shape(0);
  const Shape& dy = call.shape(1);
  return WindowAt(*call.attributes,
                  {x.begin() + 2, x.end()},
                  call.attributes->Ints("kernel_shape"),
                  {dy.begin() + 2, dy.end()});
}

Result<std::vector<TensorType>> InferConvWeightGradient(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Floats(0).SameElement(0, 1).RankAtLeast(0, 3).Done());
  const int64_t group = call.attributes->Int("group", 1);
  CallCheck check(call);
  check.Rank(1, call.rank(0), call.rank(0));
  check.That(!call.attributes->has("auto_pad"), "pads must be explicit");
  check.That(group >= 1, "group must be at least 1, got {}", group);
  TRY(check.Done());
  const Shape& x = call.shape(0);
  const Shape& dy = call.shape(1);
  check.That(x[0] == dy[0], "x {} and dy {} differ in images", ShapeText(x), ShapeText(dy));
  check.That(x[1] % group == 0, "{} channels do not split in {} groups", x[1], group);
  check.That(dy[1] % group == 0, "{} filters do not split in {} groups", dy[1], group);
  TRY(check.Done());
  const Window window = TRY(WeightWindow(call));
  Shape shape{dy[1], x[1] / group};
  shape.insert(shape.end(), window.kernel.begin(), window.kernel.end());
  TRY(CheckedElements(shape, call.type(0).element));
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> ConvWeightGradientReference(const OpCall& call,
                                         std::span<const Tensor> in,
                                         std::span<Tensor> out) {
  const Window window = TRY(WeightWindow(call));
  const std::vector<int64_t> taps = TapsOf(window);
  const int64_t spatial = NumElements(window.input);
  const int64_t positions = NumElements(window.output);
  const int64_t kernel = NumElements(window.kernel);
  const int64_t filters = out[0].dim(0);
  const int64_t channels = out[0].dim(1);
  const int64_t group = call.attributes->Int("group", 1);
  double* to = out[0].mutable_data<double>();
  for (int64_t n = 0; n < in[0].dim(0); ++n)
    for (int64_t m = 0; m < filters; ++m) {
      const double* dy = in[1].data<double>() + (n * filters + m) * positions;
      const int64_t first = m / (filters / group) * channels;
      for (int64_t c = 0; c < channels; ++c) {
        const double* x = in[0].data<double>() + (n * in[0].dim(1) + first + c) * spatial;
        double* sums = to + (m * channels + c) * kernel;
        for (int64_t p = 0; p < positions; ++p)
          for (int64_t t = 0; t < kernel; ++t)
            if (const int64_t at = taps[static_cast<size_t>(p * kernel + t)]; at >= 0)
              sums[t] += dy[p] * x[at];
      }
    }
  return {};
}

// A matrix product for each group, over images and positions.
Work WorkForConvWeightGradient(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t group = call.attributes->Int("group", 1);
  const Shape& weight = outputs[0].shape;
  const Shape& dy = call.shape(1);
  const int64_t columns = NumElements({weight.begin() + 1, weight.end()});
  const int64_t images = dy[0] * NumElements({dy.begin() + 2, dy.end()});
  Work work = FlopsWork(call, outputs, 2 * weight[0] * columns * images);
  work.batch = group;
  work.m = weight[0] / group;
  work.n = columns;
  work.k = images;
  return work;
}

std::vector<OpExample> ConvWeightGradientExamples() {
  return {
      {.inputs = {F32({2, 4, 6, 6}), F32({2, 8, 6, 6})},
       .attributes = {{"kernel_shape", List{3, 3}}, {"pads", List{1, 1, 1, 1}}}},
      {.inputs = {F32({2, 4, 7, 5}), F32({2, 6, 4, 3})},
       .attributes = {{"kernel_shape", List{1, 1}}, {"strides", List{2, 2}}}},
      {.inputs = {F32({1, 4, 6, 6}), F32({1, 6, 3, 6})},
       .attributes = {{"group", 2},
                      {"kernel_shape", List{3, 3}},
                      {"strides", List{2, 1}},
                      {"pads", List{0, 1, 1, 1}}}},
      {.inputs = {F32({2, 3, 9}), F32({2, 4, 8})},
       .attributes = {{"kernel_shape", List{3}}, {"dilations", List{2}}, {"pads", List{1, 2}}}}};
}

}  // namespace

OpDef MakeConvWeightGradient() {
  return {.domain = "metadist",
          .name = "ConvWeightGradient",
          .infer = InferConvWeightGradient,
          .reference = ConvWeightGradientReference,
          .work = WorkForConvWeightGradient,
          .examples = ConvWeightGradientExamples};
}

}  // namespace metadist::ops
