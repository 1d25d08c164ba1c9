// SPDX-License-Identifier: Apache-2.0
// y = whether a < b, with broadcasting.
#include <functional>

#include "metair/ops/compose_steps.h"
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist {

ValueId ComposeLess(Composer& compose, ValueId a, ValueId b) {
  return compose.Make("Less", {a, b});
}

}  // namespace metadist

namespace metadist::ops {

OpDef MakeLess() {
  return {.name = "Less",
          .since_version = 13,
          .url = "https://onnx.ai/onnx/operators/onnx__Less.html",
          .infer = InferOrdering,
          .reference = Comparison<std::less<>>,
          .examples = BinaryExamples};
}

}  // namespace metadist::ops
