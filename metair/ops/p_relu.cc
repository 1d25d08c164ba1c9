// SPDX-License-Identifier: Apache-2.0
// y = x if x >= 0, else slope x; slope broadcasts to x.
#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyPRelu(double x, double slope) { return x < 0 ? slope * x : x; }
int64_t ApplyPRelu(int64_t x, int64_t slope) { return x < 0 ? WrapMul(slope, x) : x; }

Result<std::vector<TensorType>> InferPRelu(const OpCall& call) {
  std::vector<TensorType> types = TRY(InferNumberBinary(call));
  if (types[0] != call.type(0))
    return BadCall(
        "slope must broadcast to {}, got {}", ShapeText(call.shape(0)), ShapeText(call.shape(1)));
  return types;
}

std::vector<OpExample> PReluExamples() {
  return {{.inputs = {F32({4, 6}), F32({4, 6})}},
          {.inputs = {F32({2, 3, 4}), F32({3, 1})}},
          {.inputs = {F32({4, 6}), F32({1})}},
          {.inputs = {I64({4, 6}), I64({6})}}};
}

Result<void> PReluGradient(GradientCall& g) {
  const Term below = g.x() < 0;
  g.Give(0, Choose(below, g.dy() * g.x(1), g.dy()));
  g.Give(1, Choose(below, g.dy() * g.x(), 0));
  return {};
}

}  // namespace

OpDef MakePRelu() {
  return {.name = "PRelu",
          .since_version = 16,
          .infer = InferPRelu,
          .reference = NumberBinary<ApplyPRelu, ApplyPRelu>,
          .gradient = PReluGradient,
          .examples = PReluExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
