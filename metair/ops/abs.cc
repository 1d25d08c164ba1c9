// SPDX-License-Identifier: Apache-2.0
// y = |x|.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAbs(double x) { return std::fabs(x); }
int64_t ApplyAbsInt(int64_t x) { return x < 0 ? WrapSub(0, x) : x; }

Term SlopeOfAbs(GradientCall& g, const Term& x) { return x.Apply("Sign"); }

}  // namespace

OpDef MakeAbs() {
  return {.name = "Abs",
          .since_version = 13,
          .infer = InferNumberUnary,
          .reference = NumberUnary<ApplyAbs, ApplyAbsInt>,
          .gradient = UnaryGradient<SlopeOfAbs>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
