// SPDX-License-Identifier: Apache-2.0
// y = the maximum of the inputs, with broadcasting; NaN propagates.

#include "metair/ops/elementwise.h"
#include "metair/ops/extremes.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

double ApplyMax(double a, double b) { return Larger(a, b); }
int64_t ApplyMax(int64_t a, int64_t b) { return a > b ? a : b; }

}  // namespace

OpDef MakeMax() {
  return {.name = "Max",
          .since_version = 13,
          .infer = InferVariadic,
          .reference = NumberVariadic<ApplyMax, ApplyMax>,
          .gradient = ExtremeGradient,
          .work = VariadicWork,
          .examples = VariadicExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
