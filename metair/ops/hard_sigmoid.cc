// SPDX-License-Identifier: Apache-2.0
// y = max(0, min(1, alpha x + beta)). The default alpha is a 32-bit float.
#include <algorithm>

#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> HardSigmoidReference(const OpCall& call,
                                  std::span<const Tensor> in,
                                  std::span<Tensor> out) {
  const double alpha = call.attributes->Float("alpha", 0.2f);
  const double beta = call.attributes->Float("beta", 0.5);
  MapUnary<double, double>(
      in[0], out[0], [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); });
  return {};
}

std::vector<OpExample> HardSigmoidExamples() {
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({2, 3, 4})}, .attributes = {{"alpha", 0.5}, {"beta", 0.25}}}};
}

Term SlopeOfHardSigmoid(GradientCall& g, const Term& x) {
  const double alpha = g.attributes().Float("alpha", 0.2f);
  const Term line = alpha * x + g.attributes().Float("beta", 0.5);
  return Choose((line > 0) & (line < 1), x.Number(alpha), 0);
}

}  // namespace

OpDef MakeHardSigmoid() {
  return {.name = "HardSigmoid",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = HardSigmoidReference,
          .gradient = UnaryGradient<SlopeOfHardSigmoid>,
          .examples = HardSigmoidExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
