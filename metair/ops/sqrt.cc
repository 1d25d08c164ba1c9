// SPDX-License-Identifier: Apache-2.0
// y = sqrt(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySqrt(double x) { return std::sqrt(x); }

Term SlopeOfSqrt(GradientCall& g, const Term& x) { return 0.5 / g.y().Wide(); }

}  // namespace

OpDef MakeSqrt() {
  return {.name = "Sqrt",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySqrt>,
          .gradient = UnaryGradient<SlopeOfSqrt>,
          .domain_of = PositiveDomain,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
