// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ops/op_def.h"

namespace metadist {

// The call with all floats that are not constant in f64.
inline OpCall InF64(OpCall call) {
  for (OpCall::Input& input : call.inputs)
    if (input.present && input.constant == nullptr &&
        ClassOf(input.type.element) == ElementClass::kFloat)
      input.type.element = ElementType::kF64;
  return call;
}

}  // namespace metadist
