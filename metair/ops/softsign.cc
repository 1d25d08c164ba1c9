// SPDX-License-Identifier: Apache-2.0
// y = x / (1 + |x|).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySoftsign(double x) { return x / (1 + std::fabs(x)); }

Term SlopeOfSoftsign(GradientCall& g, const Term& x) {
  const Term scale = x.Apply("Abs") + 1;
  return 1 / (scale * scale);
}

}  // namespace

OpDef MakeSoftsign() {
  return {.name = "Softsign",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySoftsign>,
          .gradient = UnaryGradient<SlopeOfSoftsign>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
