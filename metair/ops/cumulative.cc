// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/cumulative.h"

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"

namespace metadist {

Result<int64_t> CumulativeAxis(const OpCall& call) {
  const std::vector<int64_t> axis = TRY(call.Ints(1));
  if (axis.size() != 1) return BadCall("one axis is needed, got {}", axis.size());
  return NormalizeAxis(axis[0], call.rank(0));
}

Result<std::vector<TensorType>> InferCumulative(const OpCall& call) {
  TRY(CallCheck(call).Inputs(2).Numbers(0).Integers(1).Rank(1, 0, 1).Done());
  TRY(CumulativeAxis(call));
  return std::vector<TensorType>{call.type(0)};
}

std::vector<OpExample> CumulativeExamples() {
  return {{.inputs = {F32({4, 6}), Int(1)}},
          {.inputs = {F32({4, 6}), Int(-2)}, .attributes = {{"exclusive", 1}}},
          {.inputs = {I64({2, 3, 4}), Int(1)}, .attributes = {{"exclusive", 1}, {"reverse", 1}}}};
}

}  // namespace metadist
