// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/global_pool.h"

#include <algorithm>

#include "metair/ops/call_check.h"
#include "metair/ops/example_parts.h"

namespace metadist {

Result<std::vector<TensorType>> InferGlobalPool(const OpCall& call) {
  TRY(CallCheck(call).Inputs(1).Floats(0).RankAtLeast(0, 2).Done());
  TensorType type = call.type(0);
  std::fill(type.shape.begin() + 2, type.shape.end(), 1);
  return std::vector<TensorType>{type};
}

std::vector<OpExample> GlobalPoolExamples() {
  return {{.inputs = {F32({2, 3, 4, 5})}}, {.inputs = {F32({2, 4, 6})}}};
}

}  // namespace metadist
