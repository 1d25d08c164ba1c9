// SPDX-License-Identifier: Apache-2.0
// y = erf(x), the error function.
#include <cmath>
#include <numbers>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyErf(double x) { return std::erf(x); }

Term SlopeOfErf(GradientCall& g, const Term& x) {
  return 2 * std::numbers::inv_sqrtpi * (-(x * x)).Apply("Exp");
}

}  // namespace

OpDef MakeErf() {
  return {.name = "Erf",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyErf>,
          .gradient = UnaryGradient<SlopeOfErf>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
