// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/compose/changed_call.h"

namespace metadist {

ChangedCall::ChangedCall(const OpCall& from)
    : attributes(*from.attributes), constants(from.inputs.size()), call(from) {
  call.attributes = &attributes;
  for (size_t i = 0; i < constants.size(); ++i)
    if (call.inputs[i].constant != nullptr) {
      constants[i] = *call.inputs[i].constant;
      call.inputs[i].constant = &constants[i];
    }
}

void ChangedCall::Replace(const LiteralCut& at, const std::function<int64_t(int64_t)>& change) {
  const size_t entry = static_cast<size_t>(at.entry);
  if (at.input < 0) {
    Attribute& value = attributes.all()[at.attribute];
    int64_t* number = std::get_if<int64_t>(&value);
    int64_t& one = number != nullptr ? *number : std::get<std::vector<int64_t>>(value)[entry];
    one = change(one);
    return;
  }
  Tensor& constant = constants[static_cast<size_t>(at.input)];
  std::vector<int64_t> values = constant.ToInts();
  values[entry] = change(values[entry]);
  constant = Tensor::Of<int64_t>(constant.shape(), values).Cast(constant.element());
}

}  // namespace metadist
