// SPDX-License-Identifier: Apache-2.0
// y = x tanh(ln(1 + exp(x))).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyMish(double x) {
  return x * std::tanh(std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))));
}

Term SlopeOfMish(GradientCall& g, const Term& x) {
  const Term squashed = x.Apply("Softplus").Apply("Tanh");
  return squashed + x * x.Apply("Sigmoid") * (1 - squashed * squashed);
}

}  // namespace

OpDef MakeMish() {
  return {.name = "Mish",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyMish>,
          .gradient = UnaryGradient<SlopeOfMish>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
