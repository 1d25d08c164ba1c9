// SPDX-License-Identifier: Apache-2.0
// The bits of x, read as element type `to` (an ONNX number) of the same size.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/onnx_types.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferBitCast(const OpCall& call) {
  const int64_t number = call.attributes->Int("to", 0);
  const std::optional<ElementType> to = ElementTypeOfOnnx(number);
  CallCheck check(call);
  check.Inputs(1).That(to.has_value(), "unknown element type {}", number);
  TRY(check.Done());
  const ElementType from = call.type(0).element;
  if (BitSize(from) != BitSize(*to))
    return BadCall("{} and {} differ in size", Name(from), Name(*to));
  return std::vector<TensorType>{{*to, call.shape(0)}};
}

Result<void> BitCastReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  const Tensor bits = in[0].Cast(call.type(0).element);
  const ElementType to = *ElementTypeOfOnnx(call.attributes->Int("to", 0));
  CopyBytes(Tensor::Mapped({to, bits.shape()}, nullptr, bits.bytes()).Cast(out[0].element()),
            out[0]);
  return {};
}

std::vector<OpExample> BitCastExamples() {
  const auto to = [](ElementType type) {
    return Attributes{{"to", static_cast<int>(OnnxNumberOf(type))}};
  };
  return {{.inputs = {I64({4, 6})}, .attributes = to(ElementType::kU64)},
          {.inputs = {Of(ElementType::kI32, {2, 3, 4})}, .attributes = to(ElementType::kU32)},
          {.inputs = {U8({4, 6})}, .attributes = to(ElementType::kI8)}};
}

}  // namespace

OpDef MakeBitCast() {
  return {.name = "BitCast",
          .since_version = 26,
          .infer = InferBitCast,
          .reference = BitCastReference,
          .work = MoveWork,
          .examples = BitCastExamples,
          .elementwise = true};
}

}  // namespace metadist::ops
