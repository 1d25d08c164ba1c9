// SPDX-License-Identifier: Apache-2.0
// y = x / scale rounded to the nearest integer (ties to even) + zero point, clamped to the range of
// y's type; or rounded to the nearest 8- or 4-bit float, whose zero point is 0 (and is only added
// for 4 bits). One scale for all of x, for each index along `axis`, or for each block of block_size
// along it.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/narrowing.h"
#include "metair/ops/onnx_types.h"
#include "metair/ops/ops.h"
#include "metair/ops/quantization.h"
#include "metair/ops/work.h"

namespace metadist {

ValueId ComposeQuantize(Composer& compose, ValueId value, ValueId zero_point) {
  const ElementType element = compose.type(zero_point).element;
  const IntegerLimits limits = LimitsOf(element);
  const ValueId zero = compose.As(ElementType::kF64, zero_point);
  const ValueId shifted = compose.Add("Add", {compose.Add("Round", {value}), zero});
  return compose.As(
      element,
      compose.Add(
          "Clip",
          {shifted, compose.Number(limits.low, shifted), compose.Number(limits.high, shifted)}));
}

}  // namespace metadist

namespace metadist::ops {
namespace {

enum Input : size_t { kX, kScale, kZeroPoint };

Result<ElementType> QuantizedElement(const OpCall& call) {
  const int64_t stated = call.attributes->Int("output_dtype", 0);
  const std::optional<ElementType> named = ElementTypeOfOnnx(stated);
  if (stated != 0 && !named) return BadCall("output_dtype {} is not an element type", stated);
  ElementType element = stated == 0 ? ElementType::kU8 : *named;
  if (call.has(kZeroPoint)) element = call.type(kZeroPoint).element;
  if (!IsQuantisedFloat(element) &&
      (ClassOf(element) != ElementClass::kInt || ByteSize(element) > 2))
    return BadCall("expected integers of at most 16 bits or floats of 8 or 4, got {}",
                   Name(element));
  if (stated != 0 && element != *named)
    return BadCall("output_dtype is {}, but the zero point is {}", Name(*named), Name(element));
  return element;
}

Result<std::vector<TensorType>> InferQuantizeLinear(const OpCall& call) {
  TRY(CallCheck(call)
          .Inputs(2, 3)
          .Numbers(kX)
          .Floats(kScale)
          .That(ZeroPointFits(call, kScale, kZeroPoint), "scale and zero point must have one shape")
          .Done());
  TRY(ScaleMap::Make(*call.attributes, call.shape(kX), call.shape(kScale)));
  return std::vector<TensorType>{{TRY(QuantizedElement(call)), call.shape(kX)}};
}

Result<void> QuantizeLinearReference(const OpCall& call,
                                     std::span<const Tensor> in,
                                     std::span<Tensor> out) {
  const ScaleMap map = TRY(ScaleMap::Make(*call.attributes, in[kX].shape(), in[kScale].shape()));
  const ElementType element = TRY(QuantizedElement(call));
  const bool single = call.type(kX).element == ElementType::kF32;
  const std::vector<double> x = in[kX].ToDoubles();
  const double* scale = in[kScale].data<double>();
  const auto quotient = [&](int64_t i, int64_t at) {
    const double exact = x[static_cast<size_t>(i)] / scale[at];
    return single ? static_cast<float>(exact) : exact;  // rounding to f32 may create a tie
  };
  if (IsQuantisedFloat(element)) {
    const Narrowing narrowing = TRY(Narrowing::Make(element, *call.attributes));
    const bool shifted = element == ElementType::kF4E2M1 && call.has(kZeroPoint);
    for (int64_t i = 0; i < out[0].size(); ++i) {
      const int64_t at = map.at(i);
      const double zero = shifted ? in[kZeroPoint].data<double>()[at] : 0;
      out[0].mutable_data<double>()[i] = narrowing(quotient(i, at) + zero);
    }
    return {};
  }
  for (int64_t i = 0; i < out[0].size(); ++i) {
    const int64_t at = map.at(i);
    const int64_t zero = call.has(kZeroPoint) ? in[kZeroPoint].data<int64_t>()[at] : 0;
    out[0].mutable_data<int64_t>()[i] = Quantize(quotient(i, at), zero, element);
  }
  return {};
}

Work WorkForQuantizeLinear(const OpCall& call, std::span<const TensorType> outputs) {
  return FlopsWork(call, outputs, 3 * NumElements(outputs[0].shape));
}

std::vector<InputDomain> QuantizeLinearDomain(const OpCall& call) {
  return {{}, {.kind = InputDomain::Kind::kPositive}};
}

std::vector<OpExample> QuantizeLinearExamples() {
  return {{.inputs = {F32({3, 4, 5}), F32({}), U8({})}},
          {.inputs = {F32({3, 4, 5}), F32({4}), I8({4})}},
          {.inputs = {F32({3, 8}), F32({3, 2})}, .attributes = {{"block_size", 4}}},
          {.inputs = {F32({3, 4}), F32({})}, .attributes = {{"output_dtype", 5}}},
          {.inputs = {F32({3, 4, 5}), F32({4})}, .attributes = {{"output_dtype", 17}}},
          {.inputs = {F32({3, 8}), F32({3, 2})},
           .attributes = {{"block_size", 4}, {"output_dtype", 22}}}};
}

}  // namespace

OpDef MakeQuantizeLinear() {
  return {.name = "QuantizeLinear",
          .since_version = 25,
          .infer = InferQuantizeLinear,
          .reference = QuantizeLinearReference,
          .work = WorkForQuantizeLinear,
          .domain_of = QuantizeLinearDomain,
          .examples = QuantizeLinearExamples};
}

}  // namespace metadist::ops
