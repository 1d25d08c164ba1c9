// SPDX-License-Identifier: Apache-2.0
// y = ln(exp(x) + 1), computed so that exp cannot overflow.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySoftplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

Term SlopeOfSoftplus(GradientCall& g, const Term& x) { return x.Apply("Sigmoid"); }

}  // namespace

OpDef MakeSoftplus() {
  return {.name = "Softplus",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySoftplus>,
          .gradient = UnaryGradient<SlopeOfSoftplus>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
