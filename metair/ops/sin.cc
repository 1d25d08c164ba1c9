// SPDX-License-Identifier: Apache-2.0
// y = sin(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySin(double x) { return std::sin(x); }

}  // namespace

OpDef MakeSin() {
  return {.name = "Sin",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySin>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
