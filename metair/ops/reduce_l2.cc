// SPDX-License-Identifier: Apache-2.0
// The square root of the sum of x^2 over axes; truncated for integers.
#include "metair/ops/reduce_l2.h"

#include <cmath>

#include "metair/ops/composer.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"
#include "metair/ops/reduce_mean.h"

namespace metadist {

ValueId ComposeNorm(GraphBuilder& b, ValueId x, const std::vector<int64_t>& axes, bool keep) {
  const ElementType element = b.type(x).element;
  const ValueId wide = b.As(ElementType::kF64, x);
  const ValueId squares = b.Add("Mul", {wide, wide});
  const ValueId sum = b.Fold("ReduceSum", squares, axes, keep);
  return b.As(element, b.Add("Sqrt", {sum}));
}

}  // namespace metadist

namespace metadist::ops {
namespace {

double ApplyReduceL2(double sum, double x) { return sum + x * x; }
double FinishReduceL2(double sum) { return std::sqrt(sum); }

Result<Graph> DecomposeReduceL2(const OpCall& call) {
  const FoldedAxes folded = TRY(FoldedAxesOf(call));
  Composer compose(call);
  return compose.Done({ComposeNorm(compose, compose.Operand(0), folded.axes, folded.keep)});
}

Result<void> ReduceL2Gradient(GradientCall& g) {
  const FoldedTerms fold = TRY(FoldedTermsOf(g));
  const Term y = fold.y.Wide();
  g.Give(0, g.x().Wide() * Choose(y == 0, 0, fold.dy.Wide() / y));
  return {};
}

}  // namespace

OpDef MakeReduceL2() {
  return {.name = "ReduceL2",
          .since_version = 18,
          .infer = InferNumberReduction,
          .reference = RealReduction<ApplyReduceL2, FinishReduceL2>,
          .decompose = DecomposeReduceL2,
          .gradient = ReduceL2Gradient,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
