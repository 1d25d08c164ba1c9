// SPDX-License-Identifier: Apache-2.0
// y = artanh(x), the inverse of tanh on -1 < x < 1.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAtanh(double x) { return std::atanh(x); }

std::vector<InputDomain> AtanhDomain(const OpCall& call) {
  return {{.kind = InputDomain::Kind::kRange, .low = -0.984375, .high = 0.984375}};
}

Term SlopeOfAtanh(GradientCall& g, const Term& x) { return 1 / (1 - x * x); }

}  // namespace

OpDef MakeAtanh() {
  return {.name = "Atanh",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyAtanh>,
          .gradient = UnaryGradient<SlopeOfAtanh>,
          .domain_of = AtanhDomain,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
