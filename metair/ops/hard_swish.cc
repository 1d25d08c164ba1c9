// SPDX-License-Identifier: Apache-2.0
// y = x max(0, min(1, x / 6 + 1 / 2)).
#include <algorithm>

#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

double ApplyHardSwish(double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }

}  // namespace

OpDef MakeHardSwish() {
  return {.name = "HardSwish",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__HardSwish.html",
          .infer = InferFloatUnary,
          .reference = FloatUnary<ApplyHardSwish>,
          .examples = UnaryExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
