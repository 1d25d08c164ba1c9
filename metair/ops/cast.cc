// SPDX-License-Identifier: Apache-2.0
// y = x in element type `to` (an ONNX number): to float rounds to nearest even, to integer
// truncates. For numbers too large for an 8-bit float, see narrowing.h.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/graph_builder.h"
#include "metair/ops/narrowing.h"
#include "metair/ops/onnx_types.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"

namespace metadist {

ValueId GraphBuilder::As(ElementType element, ValueId value) {
  if (failed() || type(value).element == element) return value;
  return Add("Cast", {value}, {{"to", OnnxNumberOf(element)}});
}

}  // namespace metadist

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferCast(const OpCall& call) {
  const int64_t to = call.attributes->Int("to", 0);
  TRY(CallCheck(call)
          .Inputs(1)
          .That(ElementTypeOfOnnx(to).has_value(), "unknown element type {}", to)
          .Done());
  TRY(Narrowing::Make(*ElementTypeOfOnnx(to), *call.attributes));
  return std::vector<TensorType>{{*ElementTypeOfOnnx(to), call.shape(0)}};
}

Result<void> CastReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  const ElementType to = *ElementTypeOfOnnx(call.attributes->Int("to", 0));
  const Narrowing narrowing = TRY(Narrowing::Make(to, *call.attributes));
  CopyBytes(narrowing.Of(in[0], out[0].element()), out[0]);
  return {};
}

std::vector<OpExample> CastExamples() {
  const auto to = [](ElementType type) {
    return Attributes{{"to", static_cast<int>(OnnxNumberOf(type))}};
  };
  return {{.inputs = {F32({4, 6})}, .attributes = to(ElementType::kI64)},
          {.inputs = {I64({4, 6})}, .attributes = to(ElementType::kF32)},
          {.inputs = {F32({4, 6})}, .attributes = to(ElementType::kF16)},
          {.inputs = {I64({4, 6})}, .attributes = to(ElementType::kBool)}};
}

Result<void> CastGradient(GradientCall& g) {
  g.Give(0, g.dy());
  return {};
}

}  // namespace

OpDef MakeCast() {
  return {.name = "Cast",
          .since_version = 25,
          .infer = InferCast,
          .reference = CastReference,
          .gradient = CastGradient,
          .examples = CastExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
