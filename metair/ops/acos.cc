// SPDX-License-Identifier: Apache-2.0
// y = arc cos(x).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyAcos(double x) { return std::acos(x); }

std::vector<InputDomain> AcosDomain(const OpCall& call) {
  return {{.kind = InputDomain::Kind::kRange, .low = -1, .high = 1}};
}

}  // namespace

OpDef MakeAcos() {
  return {.name = "Acos",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyAcos>,
          .domain_of = AcosDomain,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
