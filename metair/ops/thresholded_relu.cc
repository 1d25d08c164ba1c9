// SPDX-License-Identifier: Apache-2.0
// y = x if x > alpha, else 0.
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> ThresholdedReluReference(const OpCall& call,
                                      std::span<const Tensor> in,
                                      std::span<Tensor> out) {
  const double alpha = call.attributes->Float("alpha", 1);
  MapUnary<double, double>(in[0], out[0], [=](double x) { return x > alpha ? x : 0.0; });
  return {};
}

std::vector<OpExample> ThresholdedReluExamples() {
  return {{.inputs = {F32({4, 6})}}, {.inputs = {F32({2, 3, 4})}, .attributes = {{"alpha", 0.5}}}};
}

Result<void> ThresholdedReluGradient(GradientCall& g) {
  g.Give(0, Choose(g.x() > g.attributes().Float("alpha", 1), g.dy(), 0));
  return {};
}

}  // namespace

OpDef MakeThresholdedRelu() {
  return {.name = "ThresholdedRelu",
          .since_version = 22,
          .infer = InferFloatUnary,
          .reference = ThresholdedReluReference,
          .gradient = ThresholdedReluGradient,
          .examples = ThresholdedReluExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
