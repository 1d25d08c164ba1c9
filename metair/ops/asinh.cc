// SPDX-License-Identifier: Apache-2.0
// y = arsinh(x), the inverse of sinh.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAsinh(double x) { return std::asinh(x); }

}  // namespace

OpDef MakeAsinh() {
  return {.name = "Asinh",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyAsinh>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
