// SPDX-License-Identifier: Apache-2.0
// The sum of x^2 over axes.
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

struct SumOfSquares {
  static int Initial(auto) { return 0; }
  static double Apply(double sum, double x) { return sum + x * x; }
  static int64_t Apply(int64_t sum, int64_t x) { return WrapAdd(sum, WrapMul(x, x)); }
};

Result<void> ReduceSumSquareGradient(GradientCall& g) {
  const FoldedTerms fold = TRY(FoldedTermsOf(g));
  g.Give(0, 2 * fold.dy * g.x());
  return {};
}

}  // namespace

OpDef MakeReduceSumSquare() {
  return {.name = "ReduceSumSquare",
          .since_version = 18,
          .infer = InferNumberReduction,
          .reference = NumberReduction<SumOfSquares>,
          .gradient = ReduceSumSquareGradient,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
