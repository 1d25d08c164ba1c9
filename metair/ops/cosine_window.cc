// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/cosine_window.h"

#include <cmath>
#include <numbers>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/onnx_types.h"
#include "metair/ops/strided_copy.h"

namespace metadist {

Result<std::vector<TensorType>> InferCosineWindow(const OpCall& call) {
  const int64_t number = call.attributes->Int("output_datatype", 1);
  const std::optional<ElementType> element = ElementTypeOfOnnx(number);
  TRY(CallCheck(call)
          .Inputs(1)
          .Integers(0)
          .Rank(0, 0, 1)
          .That(element.has_value(), "unknown element type {}", number)
          .Done());
  const std::vector<int64_t> size = TRY(call.Ints(0));
  if (size.size() != 1) return BadCall("one size is needed, got {}", size.size());
  TRY(CheckedElements(size, *element));
  return std::vector<TensorType>{{*element, size}};
}

Result<void> CosineWindow(const OpCall& call, const CosineSum& sum, Tensor& y) {
  const int64_t size = y.size();
  const bool periodic = call.attributes->Int("periodic", 1) != 0;
  const double period = static_cast<double>(periodic ? size : size - 1);
  Tensor window = Tensor::Zeros({ElementType::kF64, {size}});
  for (int64_t n = 0; n < size; ++n) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(n) / period;
    // A window of a single point is 1.
    window.mutable_data<double>()[n] =
        period == 0 ? 1 : sum.a0 - sum.a1 * std::cos(angle) + sum.a2 * std::cos(2 * angle);
  }
  CopyBytes(window.Cast(y.element()), y);
  return {};
}

Work CosineWindowWork(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 6 * NumElements(outputs[0].shape), .bytes = outputs[0].bytes()};
}

std::vector<OpExample> CosineWindowExamples() {
  return {{.inputs = {Int(12)}, .attributes = {{"output_datatype", 11}}},
          {.inputs = {Int(9)}, .attributes = {{"output_datatype", 11}, {"periodic", 0}}}};
}

}  // namespace metadist
