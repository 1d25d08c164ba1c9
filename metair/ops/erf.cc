// SPDX-License-Identifier: Apache-2.0
// y = erf(x), the error function.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyErf(double x) { return std::erf(x); }

}  // namespace

OpDef MakeErf() {
  return {.name = "Erf",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyErf>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
