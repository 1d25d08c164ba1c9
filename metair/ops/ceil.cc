// SPDX-License-Identifier: Apache-2.0
// y = the smallest integer not less than x.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyCeil(double x) { return std::ceil(x); }

}  // namespace

OpDef MakeCeil() {
  return {.name = "Ceil",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyCeil>,
          .gradient = NoGradient,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
