// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / sqrt(variance + epsilon) scale + bias, with mean and variance over the dims from
// `axis` on.
#include <algorithm>
#include <cmath>

#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/onnx_types.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce_mean.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferLayerNormalization(const OpCall& call) {
  const int64_t stash = call.attributes->Int("stash_type", 1);
  TRY(CallCheck(call)
          .Inputs(2, 3)
          .Floats(0)
          .SameElement(0, 1)
          .SameElement(0, 2)
          .RankAtLeast(0, 1)
          .That(stash == 1 || stash == 16, "stash_type must be 1 or 16, got {}", stash)
          .Done());
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", -1), call.rank(0)));
  for (size_t i = 1; i < call.inputs.size(); ++i)
    if (call.has(i) && TRY(Broadcast(call.shape(0), call.shape(i))) != call.shape(0))
      return BadCall("input {} must broadcast to {}, got {}",
                     i,
                     ShapeText(call.shape(0)),
                     ShapeText(call.shape(i)));
  TensorType statistic{*ElementTypeOfOnnx(stash), call.shape(0)};
  std::fill(statistic.shape.begin() + axis, statistic.shape.end(), 1);
  std::vector<TensorType> types{call.type(0), statistic, statistic};
  if (call.num_outputs < 3) types.resize(static_cast<size_t>(std::max(call.num_outputs, 1)));
  return types;
}

Result<void> LayerNormalizationReference(const OpCall& call,
                                         std::span<const Tensor> in,
                                         std::span<Tensor> out) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", -1), in[0].rank()));
  const double epsilon = call.attributes->Float("epsilon", 1e-5f);
  const Shape& shape = in[0].shape();
  const int64_t inner = NumElements({shape.begin() + axis, shape.end()});
  const double count = static_cast<double>(inner);
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  for (int64_t row = 0; row < (inner == 0 ? 0 : in[0].size() / inner); ++row) {
    const double* from = x + row * inner;
    double mean = 0;
    for (int64_t i = 0; i < inner; ++i) mean += from[i];
    mean /= count;
    double variance = 0;  // in a second pass: sum(x^2) - mean^2 would suffer from cancellation
    for (int64_t i = 0; i < inner; ++i) variance += (from[i] - mean) * (from[i] - mean);
    const double inverse = 1 / std::sqrt(variance / count + epsilon);
    for (int64_t i = 0; i < inner; ++i) y[row * inner + i] = (from[i] - mean) * inverse;
    if (out.size() > 1) out[1].mutable_data<double>()[row] = mean;
    if (out.size() > 2) out[2].mutable_data<double>()[row] = inverse;
  }
  const bool biased = call.has(2);
  const double* scale = in[1].data<double>();
  const double* bias = biased ? in[2].data<double>() : nullptr;
  ForEachIndex(shape,
               {BroadcastStrides(in[1].shape(), shape),
                BroadcastStrides(biased ? in[2].shape() : Shape{}, shape)},
               [&](int64_t i, const auto& at) {
                 y[i] *= scale[at[0]];
                 if (biased) y[i] += bias[at[1]];
               });
  return {};
}

Work WorkForLayerNormalization(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 8 * NumElements(outputs[0].shape));
}

std::vector<OpExample> LayerNormalizationExamples() {
  return {{.inputs = {F32({2, 4, 6}), F32({6}), F32({6})}},
          {.inputs = {F32({4, 6}), F32({6})}, .attributes = {{"epsilon", 0.25}}},
          {.inputs = {F32({2, 4, 6}), F32({4, 6}), F32({4, 6})}, .attributes = {{"axis", 1}}},
          {.inputs = {F32({2, 4, 6}), F32({6}), F32({6})},
           .attributes = {{"axis", -1}, {"stash_type", 1}},
           .num_outputs = 3}};
}

Result<Graph> DecomposeLayerNormalization(const OpCall& call) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", -1), call.rank(0)));
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const Moments moments = ComposeMoments(compose, x, AxesBetween(axis, call.rank(0)));
  const ValueId epsilon = compose.Number(call.attributes->Float("epsilon", 1e-5f), x);
  const ValueId root = compose.Add("Sqrt", {compose.Add("Add", {moments.variance, epsilon})});
  const ValueId inverse = compose.Add("Reciprocal", {root});
  ValueId y = compose.Add("Mul", {moments.distance, inverse});
  y = compose.Add("Mul", {y, compose.Operand(1)});
  if (call.has(2)) y = compose.Add("Add", {y, compose.Operand(2)});
  return compose.Done({y, moments.mean, inverse});
}

Result<void> LayerNormalizationGradient(GradientCall& g) {
  const int64_t axis = TRY(NormalizeAxis(g.attributes().Int("axis", -1), g.call().rank(0)));
  for (size_t o = 1; o < static_cast<size_t>(g.call().num_outputs); ++o)
    if (g.has_dy(o)) return g.Through(TRY(DecomposeLayerNormalization(g.call())));
  const std::vector<int64_t> axes = AxesBetween(axis, g.call().rank(0));
  const Moments moments = ComposeMoments(g.b(), g.x().Wide().value(), axes);
  const Term variance(g.b(), moments.variance);
  const Term deviation = (variance + g.attributes().Float("epsilon", 1e-5f)).Apply("Sqrt");
  const Term normal = Term(g.b(), moments.distance) / deviation;
  const Term dy = g.dy().Wide();
  const Term slope = dy * g.x(1).As(dy.element());
  const auto mean = [&](const Term& term) {
    return Term(g.b(), ComposeMean(g.b(), term.value(), axes, /*keep=*/true));
  };
  g.Give(0, (slope - mean(slope) - normal * mean(slope * normal)) / deviation);
  g.Give(1, dy * normal);
  g.Give(2, dy);
  return {};
}

}  // namespace

OpDef MakeLayerNormalization() {
  return {.name = "LayerNormalization",
          .since_version = 17,
          .infer = InferLayerNormalization,
          .reference = LayerNormalizationReference,
          .decompose = DecomposeLayerNormalization,
          .gradient = LayerNormalizationGradient,
          .work = WorkForLayerNormalization,
          .examples = LayerNormalizationExamples};
}

}  // namespace metadist::ops
