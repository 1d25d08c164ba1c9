// SPDX-License-Identifier: Apache-2.0
// y = arc tan(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAtan(double x) { return std::atan(x); }

Term SlopeOfAtan(GradientCall& g, const Term& x) { return 1 / (x * x + 1); }

}  // namespace

OpDef MakeAtan() {
  return {.name = "Atan",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyAtan>,
          .gradient = UnaryGradient<SlopeOfAtan>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
