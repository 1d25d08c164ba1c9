// SPDX-License-Identifier: Apache-2.0
// The transpose of a pooling that sums or averages: each element of dy is added to all elements of
// x under its position of the window; average = 1: divided by the number of taps inside x
// (count_include_pad = 1: also by those in the padding). size: the spatial dims of x; other
// attributes as in AveragePool, with explicit pads.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/pool.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferPoolGradient(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).RankAtLeast(0, 3).Done());
  return std::vector<TensorType>{TRY(SpreadType(call))};
}

Result<void> PoolGradientReference(const OpCall& call,
                                   std::span<const Tensor> in,
                                   std::span<Tensor> out) {
  const bool average = call.attributes->Int("average", 1) != 0;
  const bool count_padding = call.attributes->Int("count_include_pad", 0) != 0;
  const double* dy = in[0].data<double>();
  double* dx = out[0].mutable_data<double>();
  ForEachPosition(TRY(SpreadWindow(call)),
                  in[0].size(),
                  [&](int64_t i, int64_t plane, std::span<const int64_t> taps) {
                    int64_t count = 0;
                    for (const int64_t at : taps)
                      if (at >= 0 || (at == kPadding && count_padding)) ++count;
                    const double share = average ? dy[i] / static_cast<double>(count) : dy[i];
                    for (const int64_t at : taps)
                      if (at >= 0) dx[plane + at] += share;
                  });
  return {};
}

Work WorkForPoolGradient(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t taps = NumElements(call.attributes->Ints("kernel_shape"));
  return FlopsWork(call, outputs, taps * NumElements(call.shape(0)));
}

std::vector<OpExample> PoolGradientExamples() {
  return {
      {.inputs = {F32({2, 3, 3, 3})},
       .attributes = {{"kernel_shape", List{2, 2}}, {"strides", List{2, 2}}, {"size", List{6, 6}}}},
      {.inputs = {F32({1, 3, 7, 5})},
       .attributes = {{"kernel_shape", List{3, 3}},
                      {"pads", List{1, 1, 1, 1}},
                      {"size", List{7, 5}},
                      {"count_include_pad", 1}}},
      {.inputs = {F32({2, 3, 4})},
       .attributes = {{"kernel_shape", List{3}}, {"strides", List{2}}, {"size", List{8}}}},
      {.inputs = {F32({1, 2, 5, 3})},
       .attributes = {{"kernel_shape", List{2, 2}},
                      {"dilations", List{3, 2}},
                      {"size", List{8, 5}},
                      {"average", 0}}}};
}

}  // namespace

OpDef MakePoolGradient() {
  return {.domain = "metadist",
          .name = "PoolGradient",
          .infer = InferPoolGradient,
          .reference = PoolGradientReference,
          .work = WorkForPoolGradient,
          .examples = PoolGradientExamples};
}

}  // namespace metadist::ops
