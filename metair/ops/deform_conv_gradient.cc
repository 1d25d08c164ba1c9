// SPDX-License-Identifier: Apache-2.0
// The gradients of x, the weight, the offsets and, if it is requested, the mask in y =
// DeformConv(x, weight, offsets, mask), given that of y, which comes before the mask. Attributes as
// there.
#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/deform_conv.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferDeformConvGradient(const OpCall& call) {
  TRY(CallCheck(call).Inputs(4, 5).SameElement(kDeformX, kDeformDy).Done());
  const Shape y = TRY(DeformConvShape(call));
  if (call.shape(kDeformDy) != y)
    return BadCall(
        "the gradient of y must be {}, got {}", ShapeText(y), ShapeText(call.shape(kDeformDy)));
  const int most = call.has(kDeformMask) ? 4 : 3;
  if (call.num_outputs > most)
    return BadCall("expected 1 to {} outputs, got {}", most, call.num_outputs);
  std::vector<TensorType> types{
      call.type(kDeformX), call.type(kDeformWeight), call.type(kDeformOffset)};
  if (call.has(kDeformMask)) types.push_back(call.type(kDeformMask));
  types.resize(static_cast<size_t>(call.num_outputs));
  return types;
}

// Sizes and arrays of one call.
struct DeformConvArrays {
  int64_t channels = 0;
  int64_t spatial = 0;
  int64_t positions = 0;
  int64_t taps = 0;
  int64_t filters = 0;
  int64_t group_filters = 0;
  int64_t group_channels = 0;
  const double* x = nullptr;
  const double* weight = nullptr;
  const double* dy = nullptr;
  // nullptr: not requested.
  double* dx = nullptr;
  double* dweight = nullptr;
  double* doffset = nullptr;
  double* dmask = nullptr;
};

DeformConvArrays ArraysOf(const OpCall& call,
                          const Window& window,
                          std::span<const Tensor> in,
                          std::span<Tensor> out) {
  const auto output = [&](size_t o) {
    return o < out.size() ? out[o].mutable_data<double>() : nullptr;
  };
  const int64_t filters = in[kDeformWeight].dim(0);
  return {.channels = in[kDeformX].dim(1),
          .spatial = NumElements(window.input),
          .positions = NumElements(window.output),
          .taps = NumElements(window.kernel),
          .filters = filters,
          .group_filters = filters / call.attributes->Int("group", 1),
          .group_channels = in[kDeformWeight].dim(1),
          .x = in[kDeformX].data<double>(),
          .weight = in[kDeformWeight].data<double>(),
          .dy = in[kDeformDy].data<double>(),
          .dx = output(0),
          .dweight = output(1),
          .doffset = output(2),
          .dmask = output(3)};
}

// Adds what channel c of a place contributes.
void AddChannel(const DeformConvArrays& a,
                const DeformPlace& place,
                const DeformSample& sample,
                int64_t c) {
  const int64_t plane = (place.image * a.channels + c) * a.spatial;
  const double seen = sample.Sum(a.x + plane, sample.weight);
  double slope = 0;  // dL / d(seen * mask)
  const int64_t first = c / a.group_channels * a.group_filters;
  for (int64_t m = first; m < first + a.group_filters; ++m) {
    const double dy = a.dy[(place.image * a.filters + m) * a.positions + place.position];
    const int64_t at = (m * a.group_channels + c % a.group_channels) * a.taps + place.tap;
    slope += a.weight[at] * dy;
    if (a.dweight != nullptr) a.dweight[at] += sample.factor * seen * dy;
  }
  if (a.dmask != nullptr) a.dmask[sample.mask] += slope * seen;
  slope *= sample.factor;
  for (int i = 0; i < 4; ++i)
    if (sample.index[i] >= 0) a.dx[plane + sample.index[i]] += slope * sample.weight[i];
  if (a.doffset == nullptr) return;
  a.doffset[sample.row_offset] += slope * sample.Sum(a.x + plane, sample.row_slope);
  a.doffset[sample.column_offset] += slope * sample.Sum(a.x + plane, sample.column_slope);
}

Result<void> DeformConvGradientReference(const OpCall& call,
                                         std::span<const Tensor> in,
                                         std::span<Tensor> out) {
  const Window window = TRY(DeformConvWindow(call));
  const DeformConvArrays arrays = ArraysOf(call, window, in, out);
  const int64_t groups = call.attributes->Int("offset_group", 1);
  const int64_t channels = arrays.channels / groups;  // per offset group
  if (channels == 0) return {};
  DeformPlace place;
  for (place.image = 0; place.image < in[kDeformX].dim(0); ++place.image)
    for (place.position = 0; place.position < arrays.positions; ++place.position)
      for (place.tap = 0; place.tap < arrays.taps; ++place.tap)
        for (place.group = 0; place.group < groups; ++place.group) {
          const DeformSample sample = DeformSampleAt(call, window, in, place);
          for (int64_t c = 0; c < channels; ++c)
            AddChannel(arrays, place, sample, place.group * channels + c);
        }
  return {};
}

// Two products of the size of the forward one, and four sums of four elements for each sample.
Work WorkForDeformConvGradient(const OpCall& call, std::span<const TensorType> outputs) {
  const Shape& weight = call.shape(kDeformWeight);
  const Shape& dy = call.shape(kDeformDy);
  const int64_t taps = weight[2] * weight[3];
  return FlopsWork(call,
                   outputs,
                   4 * NumElements(dy) * weight[1] * taps +
                       32 * dy[0] * dy[2] * dy[3] * call.shape(kDeformX)[1] * taps);
}

std::vector<OpExample> DeformConvGradientExamples() {
  std::vector<OpExample> examples = DeformConvExamples();
  for (OpExample& example : examples) {
    OpCall call;
    call.attributes = &example.attributes;
    for (const OpExample::Input& input : example.inputs)
      call.inputs.push_back({input.present, input.type});
    example.inputs.resize(std::max<size_t>(example.inputs.size(), kDeformDy + 1));
    example.inputs[kDeformDy] = F32(DeformConvShape(call).value());
    example.num_outputs = call.has(kDeformMask) ? 4 : 3;
  }
  return examples;
}

}  // namespace

OpDef MakeDeformConvGradient() {
  return {.domain = "metadist",
          .name = "DeformConvGradient",
          .infer = InferDeformConvGradient,
          .reference = DeformConvGradientReference,
          .work = WorkForDeformConvGradient,
          .examples = DeformConvGradientExamples};
}

}  // namespace metadist::ops
