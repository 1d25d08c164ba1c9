// SPDX-License-Identifier: Apache-2.0
// y = tan(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyTan(double x) { return std::tan(x); }

}  // namespace

OpDef MakeTan() {
  return {.name = "Tan",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyTan>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
