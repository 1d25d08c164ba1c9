// SPDX-License-Identifier: Apache-2.0
// The sum over axes.
#include "metair/ops/fold.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/reduce.h"

namespace metadist::ops {

namespace {

Result<void> ReduceSumGradient(GradientCall& g) {
  const FoldedTerms fold = TRY(FoldedTermsOf(g));
  g.Give(0, fold.dy.Expanded(g.x().shape()));
  return {};
}

}  // namespace

OpDef MakeReduceSum() {
  return {.name = "ReduceSum",
          .since_version = 13,
          .infer = InferNumberReduction,
          .reference = NumberReduction<SumFold>,
          .gradient = ReduceSumGradient,
          .work = ReductionWork,
          .examples = ReductionExamples};
}

}  // namespace metadist::ops
