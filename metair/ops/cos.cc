// SPDX-License-Identifier: Apache-2.0
// y = cos(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyCos(double x) { return std::cos(x); }

Term SlopeOfCos(GradientCall& g, const Term& x) { return -x.Apply("Sin"); }

}  // namespace

OpDef MakeCos() {
  return {.name = "Cos",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyCos>,
          .gradient = UnaryGradient<SlopeOfCos>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
