// SPDX-License-Identifier: Apache-2.0
// y = 1 / x.
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyReciprocal(double x) { return 1 / x; }

Term SlopeOfReciprocal(GradientCall& g, const Term& x) {
  const Term y = g.y().Wide();
  return -(y * y);
}

}  // namespace

OpDef MakeReciprocal() {
  return {.name = "Reciprocal",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyReciprocal>,
          .gradient = UnaryGradient<SlopeOfReciprocal>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
