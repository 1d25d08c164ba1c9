// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "metair/ops/op_table.h"

namespace metadist::testing {

// An example of an operator as a call, with all data it points to. Not movable, because the call
// points into it.
struct ExampleCall {
  OpDef op;
  Attributes attributes;
  std::vector<Tensor> constants;
  OpCall call;

  ExampleCall(const OpDef& def, const OpExample& example)
      : op(def), attributes(example.attributes), constants(example.inputs.size()) {
    call.op = &op;
    call.attributes = &attributes;
    call.num_outputs = example.num_outputs;
    for (size_t i = 0; i < example.inputs.size(); ++i) {
      const OpExample::Input& in = example.inputs[i];
      OpCall::Input next{in.present, in.type, nullptr};
      if (!in.constant.empty()) {
        constants[i] = Tensor::Of<int64_t>(in.type.shape, in.constant).Cast(in.type.element);
        next.constant = &constants[i];
      }
      call.inputs.push_back(next);
    }
  }
  ExampleCall(const ExampleCall&) = delete;
  ExampleCall& operator=(const ExampleCall&) = delete;
};

inline std::vector<std::unique_ptr<ExampleCall>> CallsOf(const OpDef& op) {
  std::vector<std::unique_ptr<ExampleCall>> calls;
  if (op.examples == nullptr) return calls;
  for (const OpExample& example : op.examples())
    calls.push_back(std::make_unique<ExampleCall>(op, example));
  return calls;
}

// "f32[4,6] i64{3,2}": types of the inputs, elements of constant ones, `-` for omitted ones.
inline std::string InputsText(const OpCall& call) {
  std::string text;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (i > 0) text += ' ';
    if (!call.has(i)) {
      text += '-';
    } else if (call.inputs[i].constant != nullptr) {
      text += '{';
      const std::vector<int64_t> values = call.inputs[i].constant->ToInts();
      for (size_t e = 0; e < values.size(); ++e)
        text += (e > 0 ? "," : "") + std::to_string(values[e]);
      text += '}';
    } else {
      text += TypeText(call.type(i));
    }
  }
  return text;
}

}  // namespace metadist::testing
