// SPDX-License-Identifier: Apache-2.0
// Ones on diagonal k (0: the main diagonal, positive: above it), zeros elsewhere, in the shape of
// input 0.
#include "metair/ops/call_check.h"
#include "metair/ops/compute_type.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/onnx_types.h"
#include "metair/ops/ops.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferEyeLike(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Rank(0, 2, 2).Done());
  if (!call.attributes->has("dtype")) return std::vector<TensorType>{call.type(0)};
  const int64_t number = call.attributes->Int("dtype", 0);
  const std::optional<ElementType> element = ElementTypeOfOnnx(number);
  if (!element.has_value()) return BadCall("unknown element type {}", number);
  return std::vector<TensorType>{{*element, call.shape(0)}};
}

Result<void> EyeLikeReference(const OpCall& call,
                              std::span<const Tensor> in,
                              std::span<Tensor> out) {
  const int64_t k = call.attributes->Int("k", 0);
  const int64_t columns = out[0].dim(1);
  VisitComputeType(out[0].element(), [&](auto zero) {
    using T = decltype(zero);
    T* y = out[0].mutable_data<T>();
    for (int64_t i = 0; i < out[0].dim(0); ++i)
      if (k >= -i && k < columns - i) y[i * columns + i + k] = T{1};
  });
  return {};
}

Result<Spelling> SpellEyeLike(const OpCall& call) {
  Spelling spelling = Spelling::Of(call);
  spelling.attributes.set("k", call.attributes->Int("k", 0));
  return spelling;
}

Work WorkForEyeLike(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = 0, .bytes = outputs[0].bytes()};
}

std::vector<OpExample> EyeLikeExamples() {
  return {{.inputs = {F32({4, 4})}},
          {.inputs = {F32({4, 6})}, .attributes = {{"k", 1}}},
          {.inputs = {F32({6, 4})}, .attributes = {{"k", -2}, {"dtype", 7}}}};
}

}  // namespace

OpDef MakeEyeLike() {
  return {.name = "EyeLike",
          .since_version = 22,
          .infer = InferEyeLike,
          .reference = EyeLikeReference,
          .spell = SpellEyeLike,
          .work = WorkForEyeLike,
          .examples = EyeLikeExamples,
          .only_types = true};
}

}  // namespace metadist::ops
