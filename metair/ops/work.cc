// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/work.h"

namespace metadist {

Work MoveWork(const OpCall& call, std::span<const TensorType> outputs) {
  Work work;
  for (const TensorType& type : outputs) work.bytes += 2 * type.bytes();
  return work;
}

Work NoWork(const OpCall& call, std::span<const TensorType> outputs) { return {}; }

Work VariadicWork(const OpCall& call, std::span<const TensorType> outputs) {
  const int64_t steps = static_cast<int64_t>(call.inputs.size()) - 1;
  return FlopsWork(call, outputs, steps * NumElements(outputs[0].shape));
}

Work FlopsWork(const OpCall& call, std::span<const TensorType> outputs, int64_t flops) {
  Work work{.flops = flops};
  for (const OpCall::Input& input : call.inputs)
    if (input.present) work.bytes += input.type.bytes();
  for (const TensorType& type : outputs) work.bytes += type.bytes();
  return work;
}

}  // namespace metadist
