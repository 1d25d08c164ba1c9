// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/elementwise.h"

#include <fmt/format.h>

namespace metadist {

Result<std::vector<TensorType>> InferElementwise(const OpCall& call) {
  TensorType out{call.type(0).element, {}};
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.has(i)) return BadInput("", fmt::format("input {} is missing", i));
    if (call.type(i).element != out.element)
      return BadInput("",
                      fmt::format("inputs must have one element type, got {} and {}",
                                  Name(out.element),
                                  Name(call.type(i).element)));
    out.shape = TRY(Broadcast(out.shape, call.shape(i)));
  }
  return std::vector<TensorType>{out};
}

Result<std::vector<TensorType>> InferComparison(const OpCall& call) {
  std::vector<TensorType> types = TRY(InferElementwise(call));
  types[0].element = ElementType::kBool;
  return types;
}

}  // namespace metadist
