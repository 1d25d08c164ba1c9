// SPDX-License-Identifier: Apache-2.0
// y = a + b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAdd(double a, double b) { return a + b; }

Result<void> AddGradient(GradientCall& g) {
  g.Give(0, g.dy());
  g.Give(1, g.dy());
  return {};
}

}  // namespace

OpDef MakeAdd() {
  return {.name = "Add",
          .since_version = 14,
          .infer = InferNumberBinary,
          .reference = NumberBinary<ApplyAdd, WrapAdd>,
          .gradient = AddGradient,
          .examples = BinaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
