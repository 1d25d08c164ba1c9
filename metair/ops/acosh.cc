// SPDX-License-Identifier: Apache-2.0
// y = arcosh(x), the inverse of cosh on x >= 1.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAcosh(double x) { return std::acosh(x); }

std::vector<InputDomain> AcoshDomain(const OpCall& call) {
  return {{.kind = InputDomain::Kind::kRange, .low = 1, .high = 4}};
}

Term SlopeOfAcosh(GradientCall& g, const Term& x) { return 1 / ((x - 1) * (x + 1)).Apply("Sqrt"); }

}  // namespace

OpDef MakeAcosh() {
  return {.name = "Acosh",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyAcosh>,
          .gradient = UnaryGradient<SlopeOfAcosh>,
          .domain_of = AcoshDomain,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
