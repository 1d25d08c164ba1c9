// SPDX-License-Identifier: Apache-2.0
// ln(sum of x) over axes; truncated for integers.
#include <cmath>

#include "metair/ops/composer.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"
#include "metair/ops/reduce_mean.h"

namespace metadist::ops {
namespace {

double ApplyReduceLogSum(double sum, double x) { return sum + x; }
double FinishReduceLogSum(double sum) { return std::log(sum); }

Result<Graph> DecomposeReduceLogSum(const OpCall& call) {
  const FoldedAxes folded = TRY(FoldedAxesOf(call));
  Composer compose(call);
  const ValueId sum = compose.Fold("ReduceSum", compose.Operand(0), folded.axes, folded.keep);
  return compose.Done({compose.Add("Log", {sum})});
}

Result<void> ReduceLogSumGradient(GradientCall& g) {
  const FoldedTerms fold = TRY(FoldedTermsOf(g));
  const Term slope = fold.dy.Wide() / fold.y.Wide().Apply("Exp");
  g.Give(0, slope.Expanded(g.x().shape()));
  return {};
}

}  // namespace

OpDef MakeReduceLogSum() {
  return {.name = "ReduceLogSum",
          .since_version = 18,
          .infer = InferNumberReduction,
          .reference = RealReduction<ApplyReduceLogSum, FinishReduceLogSum>,
          .decompose = DecomposeReduceLogSum,
          .gradient = ReduceLogSumGradient,
          .work = ReductionWork,
          .domain_of = PositiveDomain,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
