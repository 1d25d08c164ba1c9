// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/arg_extreme.h"

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"

namespace metadist {

Result<std::vector<TensorType>> InferArgExtreme(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Numbers(0).RankAtLeast(0, 1).Done());
  const int64_t axis = TRY(NormalizeAxis(call.attributes->Int("axis", 0), call.rank(0)));
  Shape shape = call.shape(0);
  if (shape[static_cast<size_t>(axis)] == 0)
    return BadCall("axis {} of {} is empty", axis, ShapeText(shape));
  if (call.attributes->Int("keepdims", 1) != 0)
    shape[static_cast<size_t>(axis)] = 1;
  else
    shape.erase(shape.begin() + axis);
  return std::vector<TensorType>{{ElementType::kI64, shape}};
}

std::vector<OpExample> ArgExtremeExamples() {
  return {{.inputs = {F32({4, 6})}},
          {.inputs = {F32({3, 4, 5})}, .attributes = {{"axis", -1}, {"keepdims", 0}}},
          {.inputs = {I64({3, 7})}, .attributes = {{"axis", 1}, {"select_last_index", 1}}}};
}

}  // namespace metadist
