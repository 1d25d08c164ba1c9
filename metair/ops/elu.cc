// SPDX-License-Identifier: Apache-2.0
// y = x if x >= 0, else alpha (exp(x) - 1).
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> EluReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double alpha = call.attributes->Float("alpha", 1);
  MapUnary<double, double>(
      in[0], out[0], [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; });
  return {};
}

std::vector<OpExample> EluExamples() {
  return {{.inputs = {F32({4, 6})}}, {.inputs = {F32({2, 3, 4})}, .attributes = {{"alpha", 0.5}}}};
}

Term SlopeOfElu(GradientCall& g, const Term& x) {
  return Choose(x < 0, g.attributes().Float("alpha", 1) * x.Apply("Exp"), 1);
}

}  // namespace

OpDef MakeElu() {
  return {.name = "Elu",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = EluReference,
          .gradient = UnaryGradient<SlopeOfElu>,
          .examples = EluExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
