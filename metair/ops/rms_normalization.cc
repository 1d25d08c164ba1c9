// SPDX-License-Identifier: Apache-2.0
// y = x / sqrt(mean(x^2) + epsilon) scale, with the mean over the dims from `axis` on.
#include <cmath>

#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce_mean.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferRMSNormalization(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Floats(0).Floats(1).RankAtLeast(0, 1).Done());
  TRY(NormalizeAxis(call.attributes->Int("axis", -1), call.rank(0)));
  if (TRY(Broadcast(call.shape(0), call.shape(1))) != call.shape(0))
    return BadCall(
        "input 1 must broadcast to {}, got {}", ShapeText(call.shape(0)), ShapeText(call.shape(1)));
  return std::vector<TensorType>{{call.type(1).element, call.shape(0)}};
}

Result<void> RMSNormalizationReference(const OpCall& call,
                                       std::span<const Tensor> in,
                                       std::span<Tensor> out) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", -1), in[0].rank()));
  const double epsilon = call.attributes->Float("epsilon", 1e-5f);
  const Shape& shape = in[0].shape();
  const int64_t inner = NumElements({shape.begin() + axis, shape.end()});
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  for (int64_t row = 0; row < (inner == 0 ? 0 : in[0].size() / inner); ++row) {
    const double* from = x + row * inner;
    double squares = 0;
    for (int64_t i = 0; i < inner; ++i) squares += from[i] * from[i];
    const double root = std::sqrt(squares / static_cast<double>(inner) + epsilon);
    for (int64_t i = 0; i < inner; ++i) y[row * inner + i] = from[i] / root;
  }
  const double* scale = in[1].data<double>();
  ForEachIndex(shape, {BroadcastStrides(in[1].shape(), shape)}, [&](int64_t i, const auto& at) {
    y[i] *= scale[at[0]];
  });
  return {};
}

Work WorkForRMSNormalization(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 4 * NumElements(outputs[0].shape));
}

std::vector<OpExample> RMSNormalizationExamples() {
  return {
      {.inputs = {F32({2, 4, 6}), F32({6})}},
      {.inputs = {F32({2, 4, 6}), F32({4, 6})}, .attributes = {{"axis", 1}, {"epsilon", 0.25}}}};
}

Result<Graph> DecomposeRMSNormalization(const OpCall& call) {
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", -1), call.rank(0)));
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const ValueId squares = ComposeMean(
      compose, compose.Add("Mul", {x, x}), AxesBetween(axis, call.rank(0)), /*keep=*/true);
  const ValueId epsilon = compose.Number(call.attributes->Float("epsilon", 1e-5f), x);
  const ValueId root = compose.Add("Sqrt", {compose.Add("Add", {squares, epsilon})});
  const ValueId y = compose.Add("Div", {x, root});
  const ValueId scale = compose.As(compose.type(y).element, compose.Operand(1));
  return compose.Done({compose.Add("Mul", {y, scale})});
}

Result<void> RMSNormalizationGradient(GradientCall& g) {
  const int64_t axis = TRY(NormalizeAxis(g.attributes().Int("axis", -1), g.call().rank(0)));
  const std::vector<int64_t> axes = AxesBetween(axis, g.call().rank(0));
  const auto mean = [&](const Term& term) {
    return Term(g.b(), ComposeMean(g.b(), term.value(), axes, /*keep=*/true));
  };
  const Term x = g.x().Wide();
  const Term root = (mean(x * x) + g.attributes().Float("epsilon", 1e-5f)).Apply("Sqrt");
  const Term normal = x / root;
  const Term dy = g.dy().As(x.element());
  const Term slope = dy * g.x(1).As(x.element());
  g.Give(0, (slope - normal * mean(slope * normal)) / root);
  g.Give(1, dy * normal);
  return {};
}

}  // namespace

OpDef MakeRMSNormalization() {
  return {.name = "RMSNormalization",
          .since_version = 23,
          .infer = InferRMSNormalization,
          .reference = RMSNormalizationReference,
          .decompose = DecomposeRMSNormalization,
          .gradient = RMSNormalizationGradient,
          .work = WorkForRMSNormalization,
          .examples = RMSNormalizationExamples};
}

}  // namespace metadist::ops
