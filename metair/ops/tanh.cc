// SPDX-License-Identifier: Apache-2.0
// y = tanh(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyTanh(double x) { return std::tanh(x); }

Term SlopeOfTanh(GradientCall& g, const Term& x) {
  const Term y = g.y().Wide();
  return 1 - y * y;
}

}  // namespace

OpDef MakeTanh() {
  return {.name = "Tanh",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyTanh>,
          .gradient = UnaryGradient<SlopeOfTanh>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
