// SPDX-License-Identifier: Apache-2.0
// y = x rounded to the nearest integer, ties to even.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyRound(double x) { return std::nearbyint(x); }

}  // namespace

OpDef MakeRound() {
  return {.name = "Round",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyRound>,
          .gradient = NoGradient,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
