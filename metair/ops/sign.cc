// SPDX-License-Identifier: Apache-2.0
// y = -1, 0 or 1, the sign of x; NaN stays NaN.
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySign(double x) { return x > 0 ? 1 : (x < 0 ? -1 : x); }
int64_t ApplySignInt(int64_t x) { return x > 0 ? 1 : (x < 0 ? -1 : 0); }

}  // namespace

OpDef MakeSign() {
  return {.name = "Sign",
          .since_version = 13,
          .infer = InferNumberUnary,
          .reference = NumberUnary<ApplySign, ApplySignInt>,
          .gradient = NoGradient,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
