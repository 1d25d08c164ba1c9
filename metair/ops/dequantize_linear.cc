// SPDX-License-Identifier: Apache-2.0
// y = (x - zero point) scale. One scale for all of x, for each index along `axis`, or for each
// block of block_size along it. The zero point of 8- and 4-bit floats is 0, and not read.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/onnx_types.h"
#include "metair/ops/ops.h"
#include "metair/ops/quantization.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kScale, kZeroPoint };

Result<std::vector<TensorType>> InferDequantizeLinear(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2, 3)
          .That(!call.has(kX) || IsQuantisedFloat(call.type(kX).element) ||
                    ClassOf(call.type(kX).element) == ElementClass::kInt,
                "expected integers, or floats of 8 or 4 bits")
          .Floats(kScale)
          .SameElement(kX, kZeroPoint)
          .That(ZeroPointFits(call, kScale, kZeroPoint), "scale and zero point must have one shape")
          .Done());
  TRY(ScaleMap::Make(*call.attributes, call.shape(kX), call.shape(kScale)));
  const int64_t stated = call.attributes->Int("output_dtype", 0);
  const std::optional<ElementType> named = ElementTypeOfOnnx(stated);
  if (stated != 0 && (!named || ClassOf(*named) != ElementClass::kFloat))
    return BadCall("output_dtype {} is not a supported float type", stated);
  const ElementType element = stated != 0 ? *named : call.type(kScale).element;
  return std::vector<TensorType>{{element, call.shape(kX)}};
}

Result<void> DequantizeLinearReference(const OpCall& call,
                                       std::span<const Tensor> in,
                                       std::span<Tensor> out) {
  const ScaleMap map = TRY(ScaleMap::Make(*call.attributes, in[kX].shape(), in[kScale].shape()));
  if (in[kX].element() == ElementType::kF64) {
    for (int64_t i = 0; i < out[0].size(); ++i)
      out[0].mutable_data<double>()[i] =
          in[kX].data<double>()[i] * in[kScale].data<double>()[map.at(i)];
    return {};
  }
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const int64_t at = map.at(i);
    const int64_t zero = call.has(kZeroPoint) ? in[kZeroPoint].data<int64_t>()[at] : 0;
    out[0].mutable_data<double>()[i] =
        (static_cast<double>(in[kX].data<int64_t>()[i]) - static_cast<double>(zero)) *
        in[kScale].data<double>()[at];
  }
  return {};
}

Work WorkForDequantizeLinear(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 2 * NumElements(outputs[0].shape));
}

std::vector<OpExample> DequantizeLinearExamples() {
  return {
      {.inputs = {U8({3, 4, 5}), F32({}), U8({})}},
      {.inputs = {U8({3, 4}), F32({1}), U8({})}},
      {.inputs = {I8({3, 4, 5}), F32({4}), I8({4})}},
      {.inputs = {I8({3, 8}), F32({3, 2})}, .attributes = {{"block_size", 4}}},
      {.inputs = {Of(ElementType::kF8E4M3FN, {3, 4, 5}), F32({4})}},
      {.inputs = {Of(ElementType::kI4, {3, 8}), F32({3, 2})}, .attributes = {{"block_size", 4}}}};
}

}  // namespace

OpDef MakeDequantizeLinear() {
  return {.name = "DequantizeLinear",
          .since_version = 25,
          .infer = InferDequantizeLinear,
          .reference = DequantizeLinearReference,
          .work = WorkForDequantizeLinear,
          .examples = DequantizeLinearExamples,
          .untrained = 0b10};
}

}  // namespace metadist::ops
