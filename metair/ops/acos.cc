// SPDX-License-Identifier: Apache-2.0
// y = arc cos(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAcos(double x) { return std::acos(x); }

std::vector<InputDomain> AcosDomain(const OpCall& call) {
  return {{.kind = InputDomain::Kind::kRange, .low = -1, .high = 1}};
}

Term SlopeOfAcos(GradientCall& g, const Term& x) { return -1 / (1 - x * x).Apply("Sqrt"); }

}  // namespace

OpDef MakeAcos() {
  return {.name = "Acos",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyAcos>,
          .gradient = UnaryGradient<SlopeOfAcos>,
          .domain_of = AcosDomain,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
