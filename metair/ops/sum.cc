// SPDX-License-Identifier: Apache-2.0
// y = the sum of the inputs, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

double ApplySum(double a, double b) { return a + b; }

Result<void> SumGradient(GradientCall& g) {
  for (size_t i = 0; i < g.call().inputs.size(); ++i) g.Give(i, g.dy());
  return {};
}

}  // namespace

OpDef MakeSum() {
  return {.name = "Sum",
          .since_version = 13,
          .infer = InferVariadic,
          .reference = NumberVariadic<ApplySum, WrapAdd>,
          .gradient = SumGradient,
          .work = VariadicWork,
          .examples = VariadicExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
