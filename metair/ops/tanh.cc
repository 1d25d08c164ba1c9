// SPDX-License-Identifier: Apache-2.0
// y = tanh(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyTanh(double x) { return std::tanh(x); }

}  // namespace

OpDef MakeTanh() {
  return {.name = "Tanh",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyTanh>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
