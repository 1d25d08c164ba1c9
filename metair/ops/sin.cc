// SPDX-License-Identifier: Apache-2.0
// y = sin(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySin(double x) { return std::sin(x); }

Term SlopeOfSin(GradientCall& g, const Term& x) { return x.Apply("Cos"); }

}  // namespace

OpDef MakeSin() {
  return {.name = "Sin",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySin>,
          .gradient = UnaryGradient<SlopeOfSin>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
