// SPDX-License-Identifier: Apache-2.0
// ln(sum of exp(x)) over axes; truncated for integers.
#include <cmath>
#include <limits>

#include "metair/ops/composer.h"
#include "metair/ops/extremes.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"
#include "metair/ops/reduce_mean.h"
#include "metair/ops/strided_copy.h"

namespace metadist::ops {
namespace {

Result<void> ReduceLogSumExpReference(const OpCall& call,
                                      std::span<const Tensor> in,
                                      std::span<Tensor> out) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Reduction reduction = TRY(ReductionOf(call));
  const Tensor x = in[0].Cast(ElementType::kF64);
  Tensor highest = Tensor::Zeros({ElementType::kF64, reduction.shape});
  Tensor sum = Tensor::Zeros({ElementType::kF64, reduction.shape});
  Fold<double>(x, reduction.folded, highest, -kInfinity, Larger<double>);
  // Subtracts the maximum, so that exp does not overflow; an infinite maximum is not subtracted.
  double* base = highest.mutable_data<double>();
  double* y = sum.mutable_data<double>();
  const double* from = x.data<double>();
  for (int64_t i = 0; i < highest.size(); ++i) base[i] = std::isfinite(base[i]) ? base[i] : 0;
  ForEachIndex(x.shape(),
               {FoldedStrides(x.shape(), reduction.folded)},
               [&](int64_t i, const auto& at) { y[at[0]] += std::exp(from[i] - base[at[0]]); });
  for (int64_t i = 0; i < sum.size(); ++i) y[i] = base[i] + std::log(y[i]);
  CopyBytes(sum.Cast(out[0].element()), out[0]);
  return {};
}

// The shift is the maximum if that is finite, else 0.
Result<Graph> DecomposeReduceLogSumExp(const OpCall& call) {
  const FoldedAxes folded = TRY(FoldedAxesOf(call));
  Composer compose(call);
  const ValueId x = compose.Operand(0);
  const ValueId highest = compose.Fold("ReduceMax", x, folded.axes);
  const ValueId infinite = compose.Add("IsInf", {highest});
  const ValueId base = compose.Add("Where", {infinite, compose.Number(0, x), highest});
  const ValueId terms = compose.Add("Exp", {compose.Add("Sub", {x, base})});
  const ValueId sum = compose.Fold("ReduceSum", terms, folded.axes);
  ValueId y = compose.Add("Add", {compose.Add("Log", {sum}), base});
  if (!folded.keep) y = compose.With("Squeeze", y, folded.axes);
  return compose.Done({y});
}

Result<void> ReduceLogSumExpGradient(GradientCall& g) {
  const FoldedTerms fold = TRY(FoldedTermsOf(g));
  // Of nothing but -inf, the logarithm of the sum is -inf, too.
  const Term x = g.x().Wide();
  const Term y = fold.y.Wide();
  const Term share = (x - Choose(y.Apply("IsInf", {{"detect_positive", 0}}), 0, y)).Apply("Exp");
  g.Give(0, fold.dy.Wide() * share);
  return {};
}

}  // namespace

OpDef MakeReduceLogSumExp() {
  return {.name = "ReduceLogSumExp",
          .since_version = 18,
          .infer = InferNumberReduction,
          .reference = ReduceLogSumExpReference,
          .decompose = DecomposeReduceLogSumExp,
          .gradient = ReduceLogSumExpGradient,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
