// SPDX-License-Identifier: Apache-2.0
// y = x in the element type of input 1, whose elements are not read: to float rounds to nearest
// even, to integer truncates. For numbers too large for an 8-bit float, see narrowing.h.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/gradient.h"
#include "metair/ops/narrowing.h"
#include "metair/ops/ops.h"
#include "metair/ops/strided_copy.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferCastLike(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Done());
  TRY(Narrowing::Make(call.type(1).element, *call.attributes));
  return std::vector<TensorType>{{call.type(1).element, call.shape(0)}};
}

Result<void> CastLikeReference(const OpCall& call,
                               std::span<const Tensor> in,
                               std::span<Tensor> out) {
  const Narrowing narrowing = TRY(Narrowing::Make(call.type(1).element, *call.attributes));
  CopyBytes(narrowing.Of(in[0], out[0].element()), out[0]);
  return {};
}

Work WorkForCastLike(const OpCall& call, std::span<const TensorType> outputs) {
  return {.flops = NumElements(outputs[0].shape),
          .bytes = call.type(0).bytes() + outputs[0].bytes()};
}

std::vector<OpExample> CastLikeExamples() {
  return {{.inputs = {F32({4, 6}), I64({2})}},
          {.inputs = {I64({4, 6}), F32({})}},
          {.inputs = {I64({4, 6}), Bool({1})}}};
}

Result<void> CastLikeGradient(GradientCall& g) {
  g.Give(0, g.dy());
  return {};
}

}  // namespace

OpDef MakeCastLike() {
  return {.name = "CastLike",
          .since_version = 25,
          .infer = InferCastLike,
          .reference = CastLikeReference,
          .gradient = CastLikeGradient,
          .work = WorkForCastLike,
          .examples = CastLikeExamples};
}

}  // namespace metadist::ops
