// SPDX-License-Identifier: Apache-2.0
// An array with the shape in input 0, filled with attribute `value` (default f32 0).
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferConstantOfShape(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Integers(0).Rank(0, 1, 1).Done());
  const Shape shape = TRY(call.Ints(0));
  const Tensor* value = call.attributes->Array("value");
  const ElementType element = value == nullptr ? ElementType::kF32 : value->element();
  TRY(CheckedElements(shape, element));
  if (value != nullptr && (value->size() != 1 || !value->has_data()))
    return BadCall("value must have one element, got {}", value->size());
  return std::vector<TensorType>{{element, shape}};
}

Result<void> ConstantOfShapeReference(const OpCall& call,
                                      std::span<const Tensor> in,
                                      std::span<Tensor> out) {
  const Tensor* value = call.attributes->Array("value");
  if (value == nullptr) return {};
  const std::vector<int64_t> repeat(out[0].shape().size(), 0);
  GatherStrided(value->Cast(out[0].element()), {0, repeat}, out[0]);
  return {};
}

Work WorkForConstantOfShape(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 0, .bytes = outputs[0].bytes()};
}

std::vector<OpExample> ConstantOfShapeExamples() {
  return {{.inputs = {Ints({4, 6})}},
          {.inputs = {Ints({2, 3, 4})}, .attributes = {{"value", Tensor::Of<int64_t>({1}, {7})}}},
          {.inputs = {Ints({6})}, .attributes = {{"value", Tensor::Of<bool>({1}, {true})}}}};
}

}  // namespace

OpDef MakeConstantOfShape() {
  return {.name = "ConstantOfShape",
          .since_version = 25,
          .infer = InferConstantOfShape,
          .reference = ConstantOfShapeReference,
          .work = WorkForConstantOfShape,
          .examples = ConstantOfShapeExamples};
}

}  // namespace metadist::ops
