// SPDX-License-Identifier: Apache-2.0
// y = a + b, with broadcasting.
#include "metair/ops/elementwise.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<void> Reference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  if (ClassOf(out[0].element()) == ElementClass::kFloat)
    MapBinary<double, double>(in[0], in[1], out[0], [](double a, double b) { return a + b; });
  else
    MapBinary<int64_t, int64_t>(in[0], in[1], out[0], [](int64_t a, int64_t b) {
      return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    });
  return {};
}

std::vector<OpExample> Examples() {
  const TensorType wide{ElementType::kF32, {4, 6}};
  return {{.inputs = {{wide}, {wide}}}, {.inputs = {{wide}, {{ElementType::kF32, {6}}}}}};
}

}  // namespace

OpDef Add() {
  return {.name = "Add",
          .since_version = 14,
          .url = "https://onnx.ai/onnx/operators/onnx__Add.html",
          .infer = InferElementwise,
          .reference = Reference,
          .examples = Examples};
}

}  // namespace metadist::ops
