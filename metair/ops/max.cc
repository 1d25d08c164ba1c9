// SPDX-License-Identifier: Apache-2.0
// y = the greatest of the inputs, with broadcasting; NaN wins.
#include <cmath>

#include "metair/ops/elementwise.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

double Apply(double a, double b) { return std::isnan(a) || a > b ? a : b; }
int64_t ApplyInt(int64_t a, int64_t b) { return a > b ? a : b; }

std::vector<OpExample> Examples() {
  using example::F32;
  std::vector<OpExample> examples = BinaryExamples();
  examples.push_back({.inputs = {F32({4, 6})}});
  examples.push_back({.inputs = {F32({4, 6}), F32({6}), F32({4, 1})}});
  return examples;
}

}  // namespace

OpDef MakeMax() {
  return {.name = "Max",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__Max.html",
          .infer = InferVariadic,
          .reference = NumberVariadic<Apply, ApplyInt>,
          .work = VariadicWork,
          .examples = Examples};
}

}  // namespace metadist::ops
