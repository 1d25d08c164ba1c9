// SPDX-License-Identifier: Apache-2.0
// y = sinh(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySinh(double x) { return std::sinh(x); }

}  // namespace

OpDef MakeSinh() {
  return {.name = "Sinh",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySinh>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
