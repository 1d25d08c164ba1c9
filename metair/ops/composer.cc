// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/composer.h"

#include <fmt/format.h>

#include <utility>

#include "metair/ops/op_table.h"

namespace metadist {

Composer::Composer(const OpCall& call) : call_(call) {
  graph_.name = call.op->name;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    inputs_.push_back(kNone);
    if (!call.has(i)) continue;
    inputs_[i] =
        graph_.AddValue({fmt::format("x{}", i), call.type(i), ValueKind::kInput, {}, kNone});
    graph_.inputs.push_back(inputs_[i]);
  }
  wide_.assign(inputs_.size(), kNone);
}

ValueId Composer::Input(size_t input) {
  const ElementType element = call_.type(input).element;
  if (ClassOf(element) != ElementClass::kFloat || ByteSize(element) >= 4) return inputs_[input];
  if (wide_[input] == kNone) wide_[input] = As(ElementType::kF32, inputs_[input]);
  return wide_[input];
}

std::vector<ValueId> Composer::Add(const OpDef& op, Node node) {
  if (error_) return std::vector<ValueId>(node.outputs.size(), 0);
  node.name = fmt::format("{}{}", node.op, graph_.nodes.size());
  auto types = InferTypes(CallOf(op, graph_, node));
  if (!types.ok()) {
    error_ = std::move(types).error();
    return std::vector<ValueId>(node.outputs.size(), 0);
  }
  for (size_t o = 0; o < node.outputs.size(); ++o)
    node.outputs[o] = graph_.AddValue({o == 0 ? fmt::format("v{}", graph_.nodes.size())
                                              : fmt::format("v{}.{}", graph_.nodes.size(), o),
                                       std::move(types.value()[o]),
                                       ValueKind::kResult,
                                       {},
                                       kNone});
  std::vector<ValueId> made = node.outputs;
  graph_.AddNode(std::move(node));
  return made;
}

ValueId Composer::Make(const std::string& op,
                       const std::vector<ValueId>& inputs,
                       const Attributes& attributes) {
  Node node;
  node.op = op;
  node.attributes = attributes;
  node.inputs = inputs;
  node.outputs = {kNone};
  const OpDef* def = OpTable::BuiltIn().Find(node);
  CHECK(def != nullptr, op.c_str());
  return Add(*def, std::move(node))[0];
}

std::vector<ValueId> Composer::Like(const OpDef& op,
                                    const Node& node,
                                    const std::vector<ValueId>& inputs) {
  Node next = node;
  next.inputs = inputs;
  return Add(op, std::move(next));
}

std::vector<ValueId> Composer::Again(const std::vector<ValueId>& inputs,
                                     const Attributes& attributes) {
  Node node;
  node.domain = call_.op->domain;
  node.op = call_.op->name;
  node.attributes = attributes;
  node.inputs = inputs;
  node.outputs.assign(static_cast<size_t>(call_.num_outputs), kNone);
  return Add(*call_.op, std::move(node));
}

ValueId Composer::Along(const std::string& op, const std::vector<ValueId>& inputs, int64_t axis) {
  Attributes attributes;
  attributes.set("axis", axis);
  return Make(op, inputs, attributes);
}

ValueId Composer::Fold(const std::string& op,
                       ValueId value,
                       const std::vector<int64_t>& axes,
                       bool keep) {
  Attributes attributes;
  attributes.set("keepdims", int64_t{keep ? 1 : 0});
  return Make(op, {value, Integers(axes)}, attributes);
}

ValueId Composer::With(const std::string& op, ValueId value, const std::vector<int64_t>& integers) {
  return Make(op, {value, Integers(integers)});
}

ValueId Composer::Constant(Tensor data) {
  const TensorType type = data.type();
  return graph_.AddValue({fmt::format("c{}", graph_.values.size()),
                          type,
                          ValueKind::kConstant,
                          std::move(data),
                          kNone});
}

ValueId Composer::Number(double value, ValueId like) {
  return Constant(Tensor::Of<double>({}, {value}).Cast(type(like).element));
}

ValueId Composer::Integer(int64_t value) { return Constant(Tensor::Of<int64_t>({}, {value})); }

ValueId Composer::Integers(const std::vector<int64_t>& values) {
  return Constant(Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values));
}

Result<Graph> Composer::Done(const std::vector<ValueId>& results) {
  const std::vector<TensorType> types = TRY(InferTypes(call_));
  if (static_cast<size_t>(call_.num_outputs) > results.size())
    return BadInput("", fmt::format("{} outputs are not composed", call_.num_outputs));
  for (size_t o = 0; o < types.size(); ++o) {
    const ValueId result = As(types[o].element, results[o]);
    if (error_) return *error_;
    if (type(result).shape != types[o].shape)
      return Internal(fmt::format("{}: output {} is composed as {}, it must be {}",
                                  call_.op->name,
                                  o,
                                  TypeText(type(result)),
                                  TypeText(types[o])));
    graph_.outputs.push_back(result);
  }
  return std::move(graph_);
}

}  // namespace metadist
