// SPDX-License-Identifier: Apache-2.0
// y = x max(0, min(1, alpha x + 1 / 2)) with alpha = 1 / 6 as a 32-bit float.
#include <algorithm>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

constexpr double kAlpha = 1.0F / 6.0F;

double ApplyHardSwish(double x) { return x * std::clamp(kAlpha * x + 0.5, 0.0, 1.0); }

Term SlopeOfHardSwish(GradientCall& g, const Term& x) {
  return Choose(x < -3, 0, Choose(x < 3, x / 3 + 0.5, 1));
}

}  // namespace

OpDef MakeHardSwish() {
  return {.name = "HardSwish",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyHardSwish>,
          .gradient = UnaryGradient<SlopeOfHardSwish>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
