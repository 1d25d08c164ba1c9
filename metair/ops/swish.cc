// SPDX-License-Identifier: Apache-2.0
// y = x / (1 + exp(-alpha x)).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> SwishReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double alpha = call.attributes->Float("alpha", 1);
  MapUnary<double, double>(in[0], out[0], [=](double x) { return x / (1 + std::exp(-alpha * x)); });
  return {};
}

std::vector<OpExample> SwishExamples() {
  return {{.inputs = {F32({4, 6})}}, {.inputs = {F32({2, 3, 4})}, .attributes = {{"alpha", 0.5}}}};
}

Term SlopeOfSwish(GradientCall& g, const Term& x) {
  const double alpha = g.attributes().Float("alpha", 1);
  const Term gate = (alpha * x).Apply("Sigmoid");
  return gate + alpha * x * gate * (1 - gate);
}

}  // namespace

OpDef MakeSwish() {
  return {.name = "Swish",
          .since_version = 24,
          .infer = InferFloatUnary,
          .reference = SwishReference,
          .gradient = UnaryGradient<SlopeOfSwish>,
          .examples = SwishExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
