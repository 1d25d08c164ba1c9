// SPDX-License-Identifier: Apache-2.0
// y = 1 / (1 + exp(-x)), computed so that exp cannot overflow.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

}  // namespace

OpDef MakeSigmoid() {
  return {.name = "Sigmoid",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySigmoid>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
