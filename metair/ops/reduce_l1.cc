// SPDX-License-Identifier: Apache-2.0
// The sum of |x| over axes.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {
namespace {

struct SumOfMagnitudes {
  static int Initial(auto) { return 0; }
  static double Apply(double sum, double x) { return sum + std::fabs(x); }
  static int64_t Apply(int64_t sum, int64_t x) { return x < 0 ? WrapSub(sum, x) : WrapAdd(sum, x); }
};

Result<void> ReduceL1Gradient(GradientCall& g) {
  const FoldedTerms fold = TRY(FoldedTermsOf(g));
  g.Give(0, fold.dy * g.x().Apply("Sign"));
  return {};
}

}  // namespace

OpDef MakeReduceL1() {
  return {.name = "ReduceL1",
          .since_version = 18,
          .infer = InferNumberReduction,
          .reference = NumberReduction<SumOfMagnitudes>,
          .gradient = ReduceL1Gradient,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
