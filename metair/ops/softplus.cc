// SPDX-License-Identifier: Apache-2.0
// y = ln(exp(x) + 1), computed so that exp cannot overflow.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplySoftplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

}  // namespace

OpDef MakeSoftplus() {
  return {.name = "Softplus",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplySoftplus>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
