// SPDX-License-Identifier: Apache-2.0
// y = exp(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyExp(double x) { return std::exp(x); }

Term SlopeOfExp(GradientCall& g, const Term& x) { return g.y().Wide(); }

}  // namespace

OpDef MakeExp() {
  return {.name = "Exp",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyExp>,
          .gradient = UnaryGradient<SlopeOfExp>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
