// SPDX-License-Identifier: Apache-2.0
// y = ln(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyLog(double x) { return std::log(x); }

Term SlopeOfLog(GradientCall& g, const Term& x) { return x.Apply("Reciprocal"); }

}  // namespace

OpDef MakeLog() {
  return {.name = "Log",
          .since_version = 13,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyLog>,
          .gradient = UnaryGradient<SlopeOfLog>,
          .domain_of = PositiveDomain,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
