// SPDX-License-Identifier: Apache-2.0
// y = arsinh(x), the inverse of sinh.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAsinh(double x) { return std::asinh(x); }

Term SlopeOfAsinh(GradientCall& g, const Term& x) { return 1 / (x * x + 1).Apply("Sqrt"); }

}  // namespace

OpDef MakeAsinh() {
  return {.name = "Asinh",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyAsinh>,
          .gradient = UnaryGradient<SlopeOfAsinh>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
