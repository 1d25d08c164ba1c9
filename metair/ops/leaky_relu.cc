// SPDX-License-Identifier: Apache-2.0
// y = x if x >= 0, else alpha x. The default alpha is a 32-bit float.
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> LeakyReluReference(const OpCall& call,
                                std::span<const Tensor> in,
                                std::span<Tensor> out) {
  const double alpha = call.attributes->Float("alpha", 0.01f);
  MapUnary<double, double>(in[0], out[0], [=](double x) { return x < 0 ? alpha * x : x; });
  return {};
}

std::vector<OpExample> LeakyReluExamples() {
  return {{.inputs = {F32({4, 6})}}, {.inputs = {F32({2, 3, 4})}, .attributes = {{"alpha", 0.5}}}};
}

Term SlopeOfLeakyRelu(GradientCall& g, const Term& x) {
  return Choose(x < 0, x.Number(g.attributes().Float("alpha", 0.01f)), 1);
}

}  // namespace

OpDef MakeLeakyRelu() {
  return {.name = "LeakyRelu",
          .since_version = 16,
          .infer = InferFloatUnary,
          .reference = LeakyReluReference,
          .gradient = UnaryGradient<SlopeOfLeakyRelu>,
          .examples = LeakyReluExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
