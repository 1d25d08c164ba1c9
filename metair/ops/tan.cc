// SPDX-License-Identifier: Apache-2.0
// y = tan(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyTan(double x) { return std::tan(x); }

Term SlopeOfTan(GradientCall& g, const Term& x) {
  const Term y = g.y().Wide();
  return y * y + 1;
}

}  // namespace

OpDef MakeTan() {
  return {.name = "Tan",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyTan>,
          .gradient = UnaryGradient<SlopeOfTan>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
