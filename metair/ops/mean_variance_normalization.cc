// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / (sqrt(variance) + 1e-9), with mean and variance over `axes` (default 0, 2 and
// 3).
#include <cmath>

#include "metair/ops/axes.h"
#include "metair/ops/call_check.h"
#include "metair/ops/composer.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"
#include "metair/ops/reduce_mean.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<bool>> FoldedOf(const OpCall& call) {
  const std::vector<int64_t> axes =
      TRY(NormalizeAxes(call.attributes->Ints("axes", {0, 2, 3}), call.rank(0)));
  std::vector<bool> folded(call.shape(0).size(), false);
  for (int64_t axis : axes) folded[static_cast<size_t>(axis)] = true;
  return folded;
}

Result<std::vector<TensorType>> InferMeanVarianceNormalization(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).Done());
  TRY(FoldedOf(call));
  return std::vector<TensorType>{call.type(0)};
}

Result<void> MeanVarianceNormalizationReference(const OpCall& call,
                                                std::span<const Tensor> in,
                                                std::span<Tensor> out) {
  const std::vector<bool> folded = TRY(FoldedOf(call));
  const Shape& shape = in[0].shape();
  Shape kept = shape;
  double count = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!folded[d]) continue;
    count *= static_cast<double>(shape[d]);
    kept[d] = 1;
  }
  const double* x = in[0].data<double>();
  double* y = out[0].mutable_data<double>();
  std::vector<double> mean(static_cast<size_t>(NumElements(kept)), 0);
  std::vector<double> variance = mean;
  const auto for_each = [&](auto visit) {
    ForEachIndex(shape, {FoldedStrides(shape, folded)}, [&](int64_t i, const auto& at) {
      visit(static_cast<size_t>(at[0]), i);
    });
  };
  for_each([&](size_t at, int64_t i) { mean[at] += x[i] / count; });
  for_each(
      [&](size_t at, int64_t i) { variance[at] += (x[i] - mean[at]) * (x[i] - mean[at]) / count; });
  for_each(
      [&](size_t at, int64_t i) { y[i] = (x[i] - mean[at]) / (std::sqrt(variance[at]) + 1e-9); });
  return {};
}

Work WorkForMeanVarianceNormalization(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 5 * NumElements(outputs[0].shape));
}

std::vector<OpExample> MeanVarianceNormalizationExamples() {
  return {{.inputs = {F32({3, 4, 5, 2})}},
          {.inputs = {F32({4, 6, 3})}, .attributes = {{"axes", List{-1}}}}};
}

Result<Graph> DecomposeMeanVarianceNormalization(const OpCall& call) {
  const std::vector<bool> folded = TRY(FoldedOf(call));
  std::vector<int64_t> axes;
  for (size_t d = 0; d < folded.size(); ++d)
    if (folded[d]) axes.push_back(static_cast<int64_t>(d));
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const Moments moments = ComposeMoments(compose, x, axes);
  const ValueId root = compose.Add("Sqrt", {moments.variance});
  return compose.Done({compose.Add(
      "Div", {moments.distance, compose.Add("Add", {root, compose.Number(1e-9, x)})})});
}

Result<void> MeanVarianceNormalizationGradient(GradientCall& g) {
  // With d = x - mean and r the root of the variance: y = d / (r + 1e-9).
  const std::vector<bool> folded = TRY(FoldedOf(g.call()));
  std::vector<int64_t> axes;
  double count = 1;
  for (size_t i = 0; i < folded.size(); ++i)
    if (folded[i]) {
      axes.push_back(static_cast<int64_t>(i));
      count *= static_cast<double>(g.call().shape(0)[i]);
    }
  const auto mean = [&](const Term& all) { return all.Sum(axes) / count; };
  const Term x = g.x().Wide();
  const Term dy = g.dy().Wide();
  const Term d = x - mean(x);
  const Term root = mean(d * d).Apply("Sqrt");
  const Term divisor = root + 1e-9;
  const Term slope = Choose(root == 0, 0, mean(dy * d) / (divisor * root));
  g.Give(0, (dy - mean(dy) - d * slope) / divisor);
  return {};
}

}  // namespace

OpDef MakeMeanVarianceNormalization() {
  return {.name = "MeanVarianceNormalization",
          .since_version = 13,
          .infer = InferMeanVarianceNormalization,
          .reference = MeanVarianceNormalizationReference,
          .decompose = DecomposeMeanVarianceNormalization,
          .gradient = MeanVarianceNormalizationGradient,
          .work = WorkForMeanVarianceNormalization,
          .examples = MeanVarianceNormalizationExamples};
}

}  // namespace metadist::ops
