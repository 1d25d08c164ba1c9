// SPDX-License-Identifier: Apache-2.0
// y = sqrt(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySqrt(double x) { return std::sqrt(x); }

}  // namespace

OpDef MakeSqrt() {
  return {.name = "Sqrt",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySqrt>,
          .domain_of = PositiveDomain,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
