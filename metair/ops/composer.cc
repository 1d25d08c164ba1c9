// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/composer.h"

#include <fmt/format.h>

#include <utility>

namespace metadist {

Composer::Composer(const OpCall& call)
    : GraphBuilder(call.op->name),
      call_(call),
      inputs_(call.inputs.size(), kNone),
      wide_(call.inputs.size(), kNone) {
  for (size_t i = 0; i < call.inputs.size(); ++i)
    if (call.has(i)) inputs_[i] = InputAt(i, call.type(i));
}

ValueId Composer::Operand(size_t input) {
  const ElementType element = call_.type(input).element;
  if (ClassOf(element) != ElementClass::kFloat || ByteSize(element) >= 4) return inputs_[input];
  if (wide_[input] == kNone) wide_[input] = As(ElementType::kF32, inputs_[input]);
  return wide_[input];
}

std::vector<ValueId> Composer::Again(const std::vector<ValueId>& inputs,
                                     const Attributes& attributes) {
  Node node;
  node.domain = call_.op->domain;
  node.op = call_.op->name;
  node.attributes = attributes;
  node.inputs = inputs;
  node.outputs.assign(static_cast<size_t>(call_.num_outputs), kNone);
  return Write(*call_.op, std::move(node));
}

Result<Graph> Composer::Done(const std::vector<ValueId>& results) {
  const std::vector<TensorType> types = TRY(InferTypes(call_));
  if (types.size() > results.size())
    return BadInput("", fmt::format("{} outputs are not composed", types.size()));
  for (size_t o = 0; o < types.size(); ++o) {
    const ValueId result = As(types[o].element, results[o]);
    if (!failed() && type(result).shape != types[o].shape)
      return Internal(fmt::format("{}: output {} is composed as {}, it must be {}",
                                  call_.op->name,
                                  o,
                                  TypeText(type(result)),
                                  TypeText(types[o])));
    Output(result);
  }
  return GraphBuilder::Done();
}

}  // namespace metadist
