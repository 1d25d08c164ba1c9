// SPDX-License-Identifier: Apache-2.0
// y = a - b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySub(double a, double b) { return a - b; }

Result<void> SubGradient(GradientCall& g) {
  g.Give(0, g.dy());
  g.Give(1, -g.dy());
  return {};
}

}  // namespace

OpDef MakeSub() {
  return {.name = "Sub",
          .since_version = 14,
          .infer = InferNumberBinary,
          .reference = NumberBinary<ApplySub, WrapSub>,
          .gradient = SubGradient,
          .examples = BinaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
