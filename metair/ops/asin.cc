// SPDX-License-Identifier: Apache-2.0
// y = arc sin(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAsin(double x) { return std::asin(x); }

std::vector<InputDomain> AsinDomain(const OpCall& call) {
  return {{.kind = InputDomain::Kind::kRange, .low = -1, .high = 1}};
}

Term SlopeOfAsin(GradientCall& g, const Term& x) { return 1 / (1 - x * x).Apply("Sqrt"); }

}  // namespace

OpDef MakeAsin() {
  return {.name = "Asin",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyAsin>,
          .gradient = UnaryGradient<SlopeOfAsin>,
          .domain_of = AsinDomain,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
