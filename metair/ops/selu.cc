// SPDX-License-Identifier: Apache-2.0
// y = gamma x if x > 0, else gamma alpha (exp(x) - 1).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> SeluReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double alpha = call.attributes->Float("alpha", 1.67326319217681884765625);
  const double gamma = call.attributes->Float("gamma", 1.05070102214813232421875);
  MapUnary<double, double>(
      in[0], out[0], [=](double x) { return gamma * (x > 0 ? x : alpha * std::expm1(x)); });
  return {};
}

std::vector<OpExample> SeluExamples() {
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({2, 3, 4})}, .attributes = {{"alpha", 2.0}, {"gamma", 3.0}}}};
}

Term SlopeOfSelu(GradientCall& g, const Term& x) {
  const double alpha = g.attributes().Float("alpha", 1.67326319217681884765625);
  const double gamma = g.attributes().Float("gamma", 1.05070102214813232421875);
  return Choose(x > 0, x.Number(gamma), gamma * alpha * x.Apply("Exp"));
}

}  // namespace

OpDef MakeSelu() {
  return {.name = "Selu",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = SeluReference,
          .gradient = UnaryGradient<SlopeOfSelu>,
          .examples = SeluExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
