// SPDX-License-Identifier: Apache-2.0
// y = a b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyMul(double a, double b) { return a * b; }

Result<void> MulGradient(GradientCall& g) {
  g.Give(0, g.dy() * g.x(1));
  g.Give(1, g.dy() * g.x(0));
  return {};
}

}  // namespace

OpDef MakeMul() {
  return {.name = "Mul",
          .since_version = 14,
          .infer = InferNumberBinary,
          .reference = NumberBinary<ApplyMul, WrapMul>,
          .gradient = MulGradient,
          .examples = BinaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
