// SPDX-License-Identifier: Apache-2.0
// y = sinh(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySinh(double x) { return std::sinh(x); }

Term SlopeOfSinh(GradientCall& g, const Term& x) { return x.Apply("Cosh"); }

}  // namespace

OpDef MakeSinh() {
  return {.name = "Sinh",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySinh>,
          .gradient = UnaryGradient<SlopeOfSinh>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
