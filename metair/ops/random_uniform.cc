// SPDX-License-Identifier: Apache-2.0
// An array of random numbers drawn uniformly from [low, high); attribute `shape` gives its shape.
// As many binary digits are drawn as the element type represents.
#include "metair/ops/random_uniform.h"

#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"

namespace metadist {

Result<void> DrawUniform(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const double low = call.attributes->Float("low", 0);
  const double width = call.attributes->Float("high", 1) - low;
  const ElementType like = call.has(0) ? call.type(0).element : ElementType::kF32;
  const int digits = UniformDigits(TRY(DrawnFloat(call, like)));
  MapRandom(call, in, out[0].shape(), out[0].mutable_data<double>(), [&](int64_t i, uint64_t bits) {
    return low + width * UniformOf(bits, digits);
  });
  return {};
}

Result<std::vector<TensorType>> InferDrawn(const OpCall& call) {
  CallCheck check(call);
  const std::vector<int64_t> shape = call.attributes->Ints("shape");
  check.Inputs(0, kKeyInput + 1).That(call.attributes->has("shape"), "attribute shape is missing");
  CheckDrawing(call, 0, shape.size(), check);
  TRY(check.Done());
  const ElementType element = TRY(DrawnFloat(call, ElementType::kF32));
  TRY(CheckedElements(shape, element));
  return std::vector<TensorType>{{element, shape}};
}

Result<std::vector<TensorType>> InferDrawnLike(const OpCall& call) {
  CallCheck check(call);
  check.Inputs(1, kKeyInput + 1);
  TRY(check.Done());
  CheckDrawing(call, 1, call.shape(0).size(), check);
  TRY(check.Done());
  return std::vector<TensorType>{{TRY(DrawnFloat(call, call.type(0).element)), call.shape(0)}};
}

Work DrawnWork(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = NumElements(outputs[0].shape), .bytes = outputs[0].bytes()};
}

std::vector<OpExample> DrawnLikeExamples() {
  return {{.inputs = {F32({4, 6})}, .attributes = {{"seed", 3.0}}},
          {.inputs = {F32({4, 6}), Absent(), Absent(), I64({2})},
           .attributes = {{"start", List{0, 0}}}},
          {.inputs = {I64({2, 3, 4}), Absent(), Absent(), I64({2})},
           .attributes = {{"start", List{0, 0, 0}}, {"dtype", 1}}}};
}

}  // namespace metadist

namespace metadist::ops {
namespace {

std::vector<OpExample> RandomUniformExamples() {
  return {{.attributes = {{"shape", List{4, 6}}, {"seed", 3.0}}},
          {.inputs = {Absent(), Absent(), Absent(), I64({2})},
           .attributes = {{"shape", List{4, 6}}, {"start", List{0, 0}}, {"low", -1.0}}},
          {.inputs = {Absent(), Absent(), Absent(), I64({2})},
           .attributes = {{"shape", List{2, 3, 4}}, {"start", List{0, 0, 0}}, {"dtype", 11}}}};
}

}  // namespace

OpDef MakeRandomUniform() {
  return {.name = "RandomUniform",
          .since_version = 22,
          .infer = InferDrawn,
          .reference = DrawUniform,
          .work = DrawnWork,
          .examples = RandomUniformExamples,
          .deterministic = false};
}

}  // namespace metadist::ops
