// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/op_def.h"

#include <fmt/format.h>

#include "metair/ops/call_check.h"
#include "metair/ops/held_call.h"
#include "metair/ops/work.h"

namespace metadist {

Result<std::vector<int64_t>> OpCall::Ints(size_t input) const {
  if (!has(input)) return BadCall("input {} is missing", input);
  const Input& in = inputs[input];
  if (in.constant == nullptr || !in.constant->has_data())
    return BadCall("input {} must be known at compile time", input);
  if (ClassOf(in.type.element) == ElementClass::kFloat)
    return BadCall("input {} must hold integers, got {}", input, Name(in.type.element));
  return in.constant->ToInts();
}

size_t OpCall::first_capture(size_t region) const {
  size_t at = inputs.size();
  if (regions == nullptr) return at;
  for (size_t r = region; r < regions->size(); ++r) at -= (*regions)[r].captures.size();
  return at;
}

Result<std::vector<double>> OpCall::Doubles(size_t input) const {
  if (!has(input)) return BadCall("input {} is missing", input);
  const Input& in = inputs[input];
  if (in.constant == nullptr || !in.constant->has_data())
    return BadCall("input {} must be known at compile time", input);
  return in.constant->ToDoubles();
}

namespace {

// Types of a call with some operands held in f32: inferred from the call in its own types.
Result<std::vector<TensorType>> InferHeldTypes(const OpCall& call) {
  const HeldOperands held = HeldOf(*call.attributes);
  Attributes own = *call.attributes;
  SetHeld({}, own);
  OpCall narrow = call;
  narrow.attributes = &own;
  for (size_t i = 0; i < held.inputs.size() && i < narrow.inputs.size(); ++i)
    if (held.inputs[i]) narrow.inputs[i].type.element = *held.inputs[i];
  std::vector<TensorType> types = TRY(InferTypes(narrow));
  for (size_t o = 0; o < held.outputs.size() && o < types.size(); ++o)
    if (held.outputs[o]) types[o].element = ElementType::kF32;
  return types;
}

}  // namespace

Result<std::vector<TensorType>> InferTypes(const OpCall& call) {
  if (call.attributes != nullptr && HoldsF32(*call.attributes)) return InferHeldTypes(call);
  for (size_t i = 0; i < call.inputs.size(); ++i)
    if (call.has(i) && !IsKnown(call.shape(i)))
      return BadInput(
          call.op->name,
          fmt::format("input {} has sizes known only at run time, {}", i, TypeText(call.type(i))));
  auto types = call.op->infer(call);
  if (!types.ok()) return std::move(types).error().in(call.op->name);
  if (static_cast<int>(types.value().size()) != call.num_outputs)
    return BadInput(
        call.op->name,
        fmt::format("expected {} outputs, got {}", types.value().size(), call.num_outputs));
  return types;
}

Work WorkOf(const OpCall& call, std::span<const TensorType> outputs) {
  for (const TensorType& type : outputs)
    if (!IsKnown(type.shape)) return {};
  for (const OpCall::Input& input : call.inputs)
    if (input.present && !IsKnown(input.type.shape)) return {};
  if (call.op->work != nullptr) return call.op->work(call, outputs);
  int64_t elements = 0;
  for (const TensorType& type : outputs) elements += NumElements(type.shape);
  return FlopsWork(call, outputs, elements);
}

Result<std::vector<Tensor>> Evaluate(OpCall call, std::span<const Tensor> inputs) {
  std::vector<Tensor> wide(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!call.has(i)) continue;
    if (call.op->only_types) {
      wide[i] = Tensor::Absent({ComputeType(inputs[i].element()), inputs[i].shape()});
      continue;
    }
    if (!inputs[i].has_data()) return BadCall("the elements of input {} are absent", i);
    wide[i] = inputs[i].Cast(ComputeType(inputs[i].element()));
    call.inputs[i].constant = &inputs[i];
  }
  std::vector<TensorType> types = TRY(InferTypes(call));
  std::vector<Tensor> outputs(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    TensorType type{ComputeType(types[i].element), types[i].shape};
    const bool known = IsKnown(type.shape);
    outputs[i] = known ? Tensor::Zeros(std::move(type)) : Tensor::Absent(std::move(type));
  }
  auto done = call.op->reference(call, wide, outputs);
  if (!done.ok()) return std::move(done).error().in(call.op->name);
  for (size_t i = 0; i < types.size(); ++i) outputs[i] = outputs[i].Cast(types[i].element);
  return outputs;
}

OpCall CallOf(const OpDef& op, const Graph& graph, const Node& node) {
  OpCall call;
  call.op = &op;
  call.attributes = &node.attributes;
  call.num_outputs = static_cast<int>(node.outputs.size());
  const auto add = [&](ValueId id) {
    call.inputs.emplace_back();
    if (id == kNone) return;
    const Value& value = graph.value(id);
    call.inputs.back() = {true, value.type, value.is_known() ? &value.data : nullptr};
  };
  for (ValueId id : node.inputs) add(id);
  if (node.regions.empty()) return call;
  call.regions = &node.regions;
  for (const Region& region : node.regions)
    for (ValueId id : region.captures) add(id);
  return call;
}

}  // namespace metadist
