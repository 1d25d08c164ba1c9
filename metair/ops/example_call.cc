// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/example_call.h"

namespace metadist {

std::vector<Tensor> ConstantsOf(const OpExample& example) {
  std::vector<Tensor> constants;
  for (const OpExample::Input& input : example.inputs) {
    const bool constant = input.present && !input.constant.empty();
    constants.push_back(constant
                            ? Tensor::Of(input.type.shape, input.constant).Cast(input.type.element)
                            : Tensor());
  }
  return constants;
}

OpCall CallOf(const OpDef& op, const OpExample& example, std::span<const Tensor> constants) {
  OpCall call;
  call.op = &op;
  call.attributes = &example.attributes;
  call.num_outputs = example.num_outputs;
  for (size_t i = 0; i < example.inputs.size(); ++i) {
    const OpExample::Input& input = example.inputs[i];
    call.inputs.push_back(
        {input.present, input.type, constants[i].has_data() ? &constants[i] : nullptr});
  }
  return call;
}

}  // namespace metadist
