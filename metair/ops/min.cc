// SPDX-License-Identifier: Apache-2.0
// y = the minimum of the inputs, with broadcasting; NaN propagates.

#include "metair/ops/elementwise.h"
#include "metair/ops/extremes.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

double ApplyMin(double a, double b) { return Smaller(a, b); }
int64_t ApplyMin(int64_t a, int64_t b) { return a < b ? a : b; }

}  // namespace

OpDef MakeMin() {
  return {.name = "Min",
          .since_version = 13,
          .infer = InferVariadic,
          .reference = NumberVariadic<ApplyMin, ApplyMin>,
          .gradient = ExtremeGradient,
          .work = VariadicWork,
          .examples = VariadicExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
