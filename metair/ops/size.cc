// SPDX-License-Identifier: Apache-2.0
// The number of elements of x.
#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"
#include "metair/ops/ops.h"
#include "metair/ops/work.h"

namespace metadist::ops {
namespace {

Result<std::vector<TensorType>> InferSize(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Done());
  return std::vector<TensorType>{{ElementType::kI64, {}}};
}

Result<void> SizeReference(const OpCall& call, std::span<const Tensor> in, std::span<Tensor> out) {
  out[0].mutable_data<int64_t>()[0] = NumElements(call.shape(0));
  return {};
}

std::vector<OpExample> SizeExamples() {
  return {{.inputs = {F32({4, 6})}}, {.inputs = {Bool({2, 3, 4})}}};
}

}  // namespace

OpDef MakeSize() {
  return {.name = "Size",
          .since_version = 25,
          .infer = InferSize,
          .reference = SizeReference,
          .work = NoWork,
          .examples = SizeExamples,
          .only_types = true};
}

}  // namespace metadist::ops
