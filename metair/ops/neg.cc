// SPDX-License-Identifier: Apache-2.0
// y = -x.
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyNeg(double x) { return -x; }
int64_t ApplyNegInt(int64_t x) { return WrapSub(0, x); }

Result<void> NegGradient(GradientCall& g) {
  g.Give(0, -g.dy());
  return {};
}

}  // namespace

OpDef MakeNeg() {
  return {.name = "Neg",
          .since_version = 13,
          .infer = InferNumberUnary,
          .reference = NumberUnary<ApplyNeg, ApplyNegInt>,
          .gradient = NegGradient,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
