// SPDX-License-Identifier: Apache-2.0
// y = the largest integer not greater than x.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyFloor(double x) { return std::floor(x); }

}  // namespace

OpDef MakeFloor() {
  return {.name = "Floor",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyFloor>,
          .gradient = NoGradient,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
