// SPDX-License-Identifier: Apache-2.0
// y = max(x, 0); NaN stays NaN.
#include "metair/ops/elementwise.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyRelu(double x) { return x < 0 ? 0 : x; }
int64_t ApplyReluInt(int64_t x) { return x < 0 ? 0 : x; }

Result<void> ReluGradient(GradientCall& g) {
  g.Give(0, Choose(g.y() > 0, g.dy(), 0));
  return {};
}

}  // namespace

OpDef MakeRelu() {
  return {.name = "Relu",
          .since_version = 14,
          .infer = InferNumberUnary,
          .reference = NumberUnary<ApplyRelu, ApplyReluInt>,
          .gradient = ReluGradient,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
