// SPDX-License-Identifier: Apache-2.0
// y = 1 / (1 + exp(-x)), computed so that exp cannot overflow.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

Term SlopeOfSigmoid(GradientCall& g, const Term& x) {
  const Term y = g.y().Wide();
  return y * (1 - y);
}

}  // namespace

OpDef MakeSigmoid() {
  return {.name = "Sigmoid",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySigmoid>,
          .gradient = UnaryGradient<SlopeOfSigmoid>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
