// SPDX-License-Identifier: Apache-2.0
// y = max(0, x) + min(0, alpha (exp(x / alpha) - 1)).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> CeluReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double alpha = call.attributes->Float("alpha", 1);
  MapUnary<double, double>(
      in[0], out[0], [=](double x) { return x < 0 ? alpha * std::expm1(x / alpha) : x; });
  return {};
}

std::vector<OpExample> CeluExamples() {
  return {{.inputs = {F32({4, 6})}}, {.inputs = {F32({2, 3, 4})}, .attributes = {{"alpha", 0.5}}}};
}

Term SlopeOfCelu(GradientCall& g, const Term& x) {
  return Choose(x < 0, (x / g.attributes().Float("alpha", 1)).Apply("Exp"), 1);
}

}  // namespace

OpDef MakeCelu() {
  return {.name = "Celu",
          .since_version = 12,
          .infer = InferFloatUnary,
          .reference = CeluReference,
          .gradient = UnaryGradient<SlopeOfCelu>,
          .examples = CeluExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
