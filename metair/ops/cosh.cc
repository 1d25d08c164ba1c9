// SPDX-License-Identifier: Apache-2.0
// y = cosh(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyCosh(double x) { return std::cosh(x); }

Term SlopeOfCosh(GradientCall& g, const Term& x) { return x.Apply("Sinh"); }

}  // namespace

OpDef MakeCosh() {
  return {.name = "Cosh",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyCosh>,
          .gradient = UnaryGradient<SlopeOfCosh>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
