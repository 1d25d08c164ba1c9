// SPDX-License-Identifier: Apache-2.0
// A 2-D convolution with displaced taps: offsets (row, column) for each tap and position, shared by
// the channels of an offset group. x is sampled bilinearly at the displaced taps, is 0 outside, and
// is multiplied by an optional mask.
#include "metair/ops/deform_conv.h"

#include <algorithm>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/convolution.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

constexpr ConvolutionInputs kDeformConvInputs{kDeformX, kDeformWeight, kDeformBias};

Result<std::vector<TensorType>> InferDeformConv(const OpCall& call) {
  TRY(CallCheck(call).Inputs(3, 5).SameElement(kDeformX, kDeformBias).Done());
  const Shape shape = TRY(DeformConvShape(call));
  if (call.has(kDeformBias) && call.shape(kDeformBias) != Shape{shape[1]})
    return BadCall("the bias must have {} elements", shape[1]);
  return std::vector<TensorType>{{call.type(kDeformX).element, shape}};
}

// Sets the elements and weights of a sample at a place of a plane [rows, columns]; 0 outside.
void SetElements(DeformSample& sample, const Shape& plane, double row, double column) {
  std::fill(std::begin(sample.index), std::end(sample.index), -1);
  if (!(row > -1 && column > -1 && row < static_cast<double>(plane[0]) &&
        column < static_cast<double>(plane[1])))
    return;
  const int64_t top = static_cast<int64_t>(std::floor(row));
  const int64_t left = static_cast<int64_t>(std::floor(column));
  const double down = row - static_cast<double>(top);
  const double right = column - static_cast<double>(left);
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t r = top + i / 2;
    const int64_t c = left + i % 2;
    const double by_row = i / 2 == 0 ? 1 - down : down;
    const double by_column = i % 2 == 0 ? 1 - right : right;
    const bool outside = r < 0 || r >= plane[0] || c < 0 || c >= plane[1];
    sample.index[i] = outside ? -1 : r * plane[1] + c;
    sample.weight[i] = by_row * by_column;
    sample.row_slope[i] = i / 2 == 0 ? -by_column : by_column;
    sample.column_slope[i] = i % 2 == 0 ? -by_row : by_row;
  }
}

Result<Spelling> SpellDeformConv(const OpCall& call) {
  return SpellConvolution(call, kDeformConvInputs);
}

Result<void> DeformConvReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  const Window window = TRY(DeformConvWindow(call));
  const int64_t spatial = NumElements(window.input);
  const int64_t positions = NumElements(window.output);
  const int64_t taps = NumElements(window.kernel);
  const int64_t all = in[kDeformX].dim(1);
  const int64_t filters = in[kDeformWeight].dim(0);
  const int64_t channels = in[kDeformWeight].dim(1);  // per group
  const int64_t group = call.attributes->Int("group", 1);
  const int64_t offset_group = call.attributes->Int("offset_group", 1);
  double* y = out[0].mutable_data<double>();
  if (call.has(kDeformBias))
    for (int64_t i = 0; i < out[0].size(); ++i)
      y[i] = in[kDeformBias].data<double>()[i / positions % filters];
  std::vector<double> seen(static_cast<size_t>(all));
  for (int64_t i = 0; i < in[kDeformX].dim(0) * positions * taps; ++i) {
    const int64_t n = i / taps / positions;
    const int64_t position = i / taps % positions;
    const double* const x = in[kDeformX].data<double>() + n * all * spatial;
    DeformSample sample;
    for (int64_t c = 0; c < all; ++c) {
      const int64_t of = all / offset_group;
      if (c % of == 0) sample = DeformSampleAt(call, window, in, {n, position, i % taps, c / of});
      seen[static_cast<size_t>(c)] = sample.factor * sample.Sum(x + c * spatial, sample.weight);
    }
    for (int64_t m = 0; m < filters; ++m)
      for (int64_t c = 0; c < channels; ++c)
        y[(n * filters + m) * positions + position] +=
            in[kDeformWeight].data<double>()[(m * channels + c) * taps + i % taps] *
            seen[static_cast<size_t>(m / (filters / group) * channels + c)];
  }
  return {};
}

Result<void> DeformConvGradient(GradientCall& g) {
  const Spelling spelling = TRY(SpellDeformConv(g.call()));
  std::vector<ValueId> inputs{g.x(kDeformX).value(),
                              g.x(kDeformWeight).value(),
                              g.x(kDeformOffset).value(),
                              g.dy().value()};
  if (g.has(kDeformMask)) inputs.push_back(g.x(kDeformMask).value());
  const bool masked = g.wants(kDeformMask);
  const std::vector<ValueId> made =
      g.b().AddAll("metadist.DeformConvGradient", inputs, spelling.attributes, masked ? 4 : 3);
  for (size_t i : {kDeformX, kDeformWeight, kDeformOffset}) g.Give(i, {g.b(), made[i]});
  if (masked) g.Give(kDeformMask, {g.b(), made[3]});
  g.Give(kDeformBias, g.dy().SumAllBut({1}, /*keep=*/false));
  return {};
}

Work WorkForDeformConv(const OpCall& call, std::span<const TensorType> outputs) {
  Work work = ConvolutionWork(call, kDeformConvInputs, outputs);
  work.flops += 8 * NumElements(outputs[0].shape) /
                std::max<int64_t>(call.shape(kDeformWeight)[0], 1) * call.shape(kDeformX)[1] *
                call.shape(kDeformWeight)[2] * call.shape(kDeformWeight)[3];
  return work;
}

}  // namespace

Result<Shape> DeformConvShape(const OpCall& call) {
  CallCheck check(call);
  check.Floats(kDeformX).Rank(kDeformX, 4, 4);
  for (size_t i : {kDeformWeight, kDeformOffset, kDeformMask}) check.SameElement(kDeformX, i);
  TRY(check.Done());
  const Shape shape = TRY(ConvolutionShape(call, {kDeformX, kDeformWeight, CallCheck::kAnyNumber}));
  const Shape& weight = call.shape(kDeformWeight);
  const int64_t channels = call.shape(kDeformX)[1];
  const int64_t groups = call.attributes->Int("offset_group", 1);
  if (groups < 1 || channels % groups != 0)
    return BadCall("{} channels do not split in {} offset groups", channels, groups);
  const int64_t numbers =
      TRY(CheckedElements({groups, weight[2], weight[3], 2}, ElementType::kBool));
  const Shape offset{shape[0], numbers, shape[2], shape[3]};
  const Shape mask{shape[0], numbers / 2, shape[2], shape[3]};
  TRY(check
          .That(call.shape(kDeformOffset) == offset,
                "offsets must be {}, got {}",
                ShapeText(offset),
                ShapeText(call.shape(kDeformOffset)))
          .That(!call.has(kDeformMask) || call.shape(kDeformMask) == mask,
                "the mask must be {}",
                ShapeText(mask))
          .Done());
  return shape;
}

Result<Window> DeformConvWindow(const OpCall& call) {
  return ConvolutionWindow(call, kDeformConvInputs);
}

DeformSample DeformSampleAt(const OpCall& call,
                            const Window& window,
                            std::span<const Tensor> in,
                            const DeformPlace& place) {
  const int64_t positions = NumElements(window.output);
  const int64_t taps = NumElements(window.kernel);
  const int64_t at =
      (place.image * call.attributes->Int("offset_group", 1) + place.group) * taps + place.tap;
  DeformSample sample;
  sample.row_offset = 2 * at * positions + place.position;
  sample.column_offset = sample.row_offset + positions;
  sample.mask = at * positions + place.position;
  if (call.has(kDeformMask)) sample.factor = in[kDeformMask].data<double>()[sample.mask];
  const auto start = [&](size_t d, int64_t position, int64_t tap) {
    return static_cast<double>(position * window.strides[d] - window.pads_begin[d] +
                               tap * window.dilations[d]);
  };
  const double* const moved = in[kDeformOffset].data<double>();
  const int64_t columns = window.output[1];
  const int64_t width = window.kernel[1];
  SetElements(sample,
              window.input,
              start(0, place.position / columns, place.tap / width) + moved[sample.row_offset],
              start(1, place.position % columns, place.tap % width) + moved[sample.column_offset]);
  return sample;
}

std::vector<OpExample> DeformConvExamples() {
  return {
      {.inputs = {F32({2, 4, 4, 5}), F32({6, 4, 2, 2}), F32({2, 8, 3, 4}), F32({6})}},
      {.inputs =
           {F32({2, 4, 4, 4}), F32({6, 2, 3, 3}), F32({2, 36, 4, 4}), Absent(), F32({2, 18, 4, 4})},
       .attributes = {{"group", 2}, {"offset_group", 2}, {"pads", List{1, 1, 1, 1}}}},
      {.inputs = {F32({1, 4, 5, 6}), F32({2, 4, 2, 2}), F32({1, 16, 2, 4})},
       .attributes = {{"offset_group", 2}, {"strides", List{2, 1}}, {"dilations", List{1, 2}}}}};
}

OpDef MakeDeformConv() {
  return {.name = "DeformConv",
          .since_version = 22,
          .infer = InferDeformConv,
          .reference = DeformConvReference,
          .spell = SpellDeformConv,
          .gradient = DeformConvGradient,
          .work = WorkForDeformConv,
          .examples = DeformConvExamples};
}

}  // namespace metadist::ops
