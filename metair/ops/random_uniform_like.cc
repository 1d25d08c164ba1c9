// SPDX-License-Identifier: Apache-2.0
// As RandomUniform, in the shape of input 0, whose elements are not looked at.
#include "metair/ops/drawing.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/random_uniform.h"

namespace metadist::ops {
namespace {

std::vector<OpExample> Examples() {
  using example::Absent;
  using example::F32;
  using example::I64;
  using example::With;
  using List = std::vector<int64_t>;
  return {{.inputs = {F32({4, 6})}, .attributes = With({{"seed", 3.0}})},
          {.inputs = {F32({4, 6}), Absent(), Absent(), I64({2})},
           .attributes = With({{"start", List{0, 0}}})},
          {.inputs = {I64({2, 3, 4}), Absent(), Absent(), I64({2})},
           .attributes = With({{"start", List{0, 0, 0}}, {"dtype", 1}})}};
}

}  // namespace

OpDef MakeRandomUniformLike() {
  return {.name = "RandomUniformLike",
          .since_version = 22,
          .url = "https://onnx.ai/onnx/operators/onnx__RandomUniformLike.html",
          .infer = InferDrawnLike,
          .reference = DrawUniform,
          .work = DrawnWork,
          .examples = Examples,
          .deterministic = false};
}

}  // namespace metadist::ops
