// SPDX-License-Identifier: Apache-2.0
// y = x tanh(ln(1 + exp(x))).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyMish(double x) {
  return x * std::tanh(std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))));
}

}  // namespace

OpDef MakeMish() {
  return {.name = "Mish",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyMish>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
