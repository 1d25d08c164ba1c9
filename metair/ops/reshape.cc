// SPDX-License-Identifier: Apache-2.0
// The same elements under another shape: -1 is inferred, 0 copies the input's size (allowzero = 0).
#include <fmt/format.h>

#include <cstring>

#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> Infer(const OpCall& call) {
  Shape shape = TRY(call.Ints(1));
  const int64_t total = NumElements(call.shape(0));
  int64_t known = 1;
  int64_t inferred = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && call.attributes->Int("allowzero", 0) == 0) {
      if (i >= call.shape(0).size())
        return BadInput(
            "", fmt::format("entry {} copies a dim that {} lacks", i, ShapeText(call.shape(0))));
      shape[i] = call.shape(0)[i];
    }
    if (shape[i] < -1)
      return BadInput("", fmt::format("sizes must be at least -1, got {}", shape[i]));
    if (shape[i] == -1 && inferred >= 0) return BadInput("", "only one size may be -1");
    if (shape[i] == -1)
      inferred = static_cast<int64_t>(i);
    else
      known *= shape[i];
  }
  if (inferred >= 0 && known > 0) shape[static_cast<size_t>(inferred)] = total / known;
  if (inferred >= 0 && known == 0) shape[static_cast<size_t>(inferred)] = 0;
  if (NumElements(shape) != total)
    return BadInput(
        "", fmt::format("{} does not reshape to {}", ShapeText(call.shape(0)), ShapeText(shape)));
  return std::vector<TensorType>{{call.type(0).element, shape}};
}

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  if (in[0].size() > 0)
    std::memcpy(out[0].mutable_bytes(), in[0].bytes(), static_cast<size_t>(in[0].type().bytes()));
  return {};
}

Work WorkFor(const OpCall& call, std::span<const TensorType> outputs) { return {}; }

std::vector<OpExample> Examples() {
  const auto to = [](Shape from, std::vector<int64_t> shape) {
    const TensorType list{ElementType::kI64, {static_cast<int64_t>(shape.size())}};
    return OpExample{.inputs = {{{ElementType::kF32, from}}, {.type = list, .constant = shape}}};
  };
  return {to({4, 6, 10}, {24, 10}), to({24, 10}, {4, 6, 10}), to({24, 60}, {4, 6, 6, 10})};
}

}  // namespace

OpDef Reshape() {
  return {.name = "Reshape",
          .since_version = 21,
          .url = "https://onnx.ai/onnx/operators/onnx__Reshape.html",
          .infer = Infer,
          .reference = Reference,
          .work = WorkFor,
          .examples = Examples,
          .view = true};
}

}  // namespace metadist::ops
