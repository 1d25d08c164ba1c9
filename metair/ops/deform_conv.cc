// SPDX-License-Identifier: Apache-2.0
// A 2-D convolution with displaced taps: offsets (row, column) for each tap and position, shared by
// the channels of an offset group. x is sampled bilinearly at the displaced taps, is 0 outside, and
// is multiplied by an optional mask.
#include <algorithm>
#include <array>
#include <cmath>

#include "metair/ops/call_check.h"
#include "metair/ops/convolution.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kWeight, kOffset, kBias, kMask };
constexpr ConvolutionInputs kDeformConvInputs{kX, kWeight, kBias};

Result<std::vector<TensorType>> InferDeformConv(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(3, 5).Floats(kX).Rank(kX, 4, 4);
  for (size_t i : {kWeight, kOffset, kBias, kMask}) check.SameElement(kX, i);
  TRY(check.Done());
  const Shape shape = TRY(ConvolutionShape(call, kDeformConvInputs));
  const Shape& weight = call.shape(kWeight);
  const int64_t groups = call.attributes->Int("offset_group", 1);
  TRY(check
          .That(
              groups >= 1 && shape[1] >= 0 && call.shape(kX)[1] % std::max<int64_t>(groups, 1) == 0,
              "{} channels do not split in {} offset groups",
              call.shape(kX)[1],
              groups)
          .Done());
  const int64_t taps = groups * weight[2] * weight[3];
  const Shape offset{shape[0], 2 * taps, shape[2], shape[3]};
  const Shape mask{shape[0], taps, shape[2], shape[3]};
  TRY(check
          .That(call.shape(kOffset) == offset,
                "offsets must be {}, got {}",
                ShapeText(offset),
                ShapeText(call.shape(kOffset)))
          .That(
              !call.has(kMask) || call.shape(kMask) == mask, "the mask must be {}", ShapeText(mask))
          .Done());
  return std::vector<TensorType>{{call.type(kX).element, shape}};
}

// plane: [rows, columns]; 0 outside.
double Sample(const double* plane, int64_t rows, int64_t columns, double row, double column) {
  if (!(row > -1 && column > -1 && row < static_cast<double>(rows) &&
        column < static_cast<double>(columns)))
    return 0;
  const int64_t top = static_cast<int64_t>(std::floor(row));
  const int64_t left = static_cast<int64_t>(std::floor(column));
  const double down = row - static_cast<double>(top);
  const double right = column - static_cast<double>(left);
  const auto at = [&](int64_t r, int64_t c) {
    return r < 0 || r >= rows || c < 0 || c >= columns ? 0 : plane[r * columns + c];
  };
  return (1 - down) * ((1 - right) * at(top, left) + right * at(top, left + 1)) +
         down * ((1 - right) * at(top + 1, left) + right * at(top + 1, left + 1));
}

// The values at tap `tap` and `position` in each channel of image n: [channels].
void SampleTap(const OpCall& call,
               const Window& window,
               std::span<const Tensor> in,
               const std::array<int64_t, 3>& place,
               std::vector<double>& seen) {
  const auto [n, position, tap] = place;
  const int64_t groups = call.attributes->Int("offset_group", 1);
  const int64_t channels = in[kX].dim(1);
  const int64_t positions = NumElements(window.output);
  const int64_t taps = NumElements(window.kernel);
  const int64_t r = position / window.output[1];
  const int64_t c = position % window.output[1];
  const int64_t i = tap / window.kernel[1];
  const int64_t j = tap % window.kernel[1];
  for (int64_t channel = 0; channel < channels; ++channel) {
    const int64_t at = n * groups * taps + channel / (channels / groups) * taps + tap;
    const double* moved = in[kOffset].data<double>() + 2 * at * positions + position;
    const double row =
        static_cast<double>(r * window.strides[0] - window.pads_begin[0] + i * window.dilations[0]);
    const double column =
        static_cast<double>(c * window.strides[1] - window.pads_begin[1] + j * window.dilations[1]);
    const double* plane =
        in[kX].data<double>() + (n * channels + channel) * window.input[0] * window.input[1];
    double& value = seen[static_cast<size_t>(channel)];
    value =
        Sample(plane, window.input[0], window.input[1], row + moved[0], column + moved[positions]);
    if (call.has(kMask)) value *= in[kMask].data<double>()[at * positions + position];
  }
}

Result<Spelling> SpellDeformConv(const OpCall& call) {
  return SpellConvolution(call, kDeformConvInputs);
}

Result<void> DeformConvReference(const OpCall& call,
                                 std::span<const Tensor> in,
                                 std::span<Tensor> out) {
  const Window window = TRY(ConvolutionWindow(call, kDeformConvInputs));
  const int64_t positions = NumElements(window.output);
  const int64_t taps = NumElements(window.kernel);
  const int64_t filters = in[kWeight].dim(0);
  const int64_t channels = in[kWeight].dim(1);  // per group
  const int64_t group = call.attributes->Int("group", 1);
  double* y = out[0].mutable_data<double>();
  if (call.has(kBias))
    for (int64_t i = 0; i < out[0].size(); ++i)
      y[i] = in[kBias].data<double>()[i / positions % filters];
  std::vector<double> seen(static_cast<size_t>(in[kX].dim(1)));
  for (int64_t i = 0; i < in[kX].dim(0) * positions * taps; ++i) {
    const int64_t n = i / taps / positions;
    const int64_t position = i / taps % positions;
    SampleTap(call, window, in, {n, position, i % taps}, seen);
    for (int64_t m = 0; m < filters; ++m)
      for (int64_t c = 0; c < channels; ++c)
        y[(n * filters + m) * positions + position] +=
            in[kWeight].data<double>()[(m * channels + c) * taps + i % taps] *
            seen[static_cast<size_t>(m / (filters / group) * channels + c)];
  }
  return {};
}

Work WorkForDeformConv(const OpCall& call, std::span<const TensorType> outputs) {
  Work work = ConvolutionWork(call, kDeformConvInputs, outputs);
  work.flops += 8 * NumElements(outputs[0].shape) / std::max<int64_t>(call.shape(kWeight)[0], 1) *
                call.shape(kX)[1] * call.shape(kWeight)[2] * call.shape(kWeight)[3];
  return work;
}

std::vector<OpExample> DeformConvExamples() {
  return {
      {.inputs = {F32({2, 4, 4, 5}), F32({6, 4, 2, 2}), F32({2, 8, 3, 4}), F32({6})}},
      {.inputs =
           {F32({2, 4, 4, 4}), F32({6, 2, 3, 3}), F32({2, 36, 4, 4}), Absent(), F32({2, 18, 4, 4})},
       .attributes = {{"group", 2}, {"offset_group", 2}, {"pads", List{1, 1, 1, 1}}}}};
}

}  // namespace

OpDef MakeDeformConv() {
  return {.name = "DeformConv",
          .since_version = 22,
          .infer = InferDeformConv,
          .reference = DeformConvReference,
          .spell = SpellDeformConv,
          .work = WorkForDeformConv,
          .examples = DeformConvExamples};
}

}  // namespace metadist::ops
