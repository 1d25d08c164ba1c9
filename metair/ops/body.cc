// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/body.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "metair/ops/call_check.h"
#include "metair/ops/interpret.h"

namespace metadist {

std::vector<OpExample> NoExamples() { return {}; }

std::vector<TensorType> BodyOutputs(const OpCall& call, size_t region) {
  const Graph& body = *(*call.regions)[region].graph;
  std::vector<TensorType> types;
  for (ValueId id : body.outputs) types.push_back(body.value(id).type);
  return types;
}

Result<std::vector<TensorType>> PresentTypes(const OpCall& call, size_t first) {
  std::vector<TensorType> types;
  for (size_t i = first; i < call.num_own_inputs(); ++i) {
    if (!call.has(i)) return BadCall("input {} is missing", i);
    types.push_back(call.type(i));
  }
  return types;
}

bool PassesOn(const Graph& body, size_t output, size_t input) {
  if (output >= body.outputs.size()) return false;
  ValueId id = body.outputs[output];
  while (true) {
    const Value& value = body.value(id);
    if (input < body.inputs.size() && id == body.inputs[input]) return true;
    if (value.is_known())
      return value.data.element() == ElementType::kBool && value.data.size() == 1 &&
             value.data.ToInts()[0] != 0;
    if (value.kind != ValueKind::kResult || value.producer == kNone) return false;
    const Node& node = body.node(value.producer);
    const OpDef* op = OpTable::BuiltIn().Find(node);
    const bool same = op != nullptr && op->view && node.outputs[0] == id && node.inputs[0] != kNone;
    if (!same) return false;
    id = node.inputs[0];
  }
}

Result<std::vector<Tensor>> RunBody(const OpCall& call,
                                    size_t region,
                                    std::span<const Tensor> own,
                                    std::span<const Tensor> call_inputs) {
  const Region& made = (*call.regions)[region];
  const Graph& body = *made.graph;
  std::vector<Tensor> inputs(own.begin(), own.end());
  for (size_t i = 0; i < made.captures.size(); ++i)
    inputs.push_back(call_inputs[call.first_capture(region) + i]);
  if (inputs.size() != body.inputs.size())
    return BadInput(
        made.name,
        fmt::format("the body takes {} inputs, got {}", body.inputs.size(), inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = inputs[i].Cast(body.value(body.inputs[i]).type.element);
  auto results = Interpret(body, OpTable::BuiltIn(), inputs);
  if (!results.ok()) return std::move(results).error().in(made.name);
  for (Tensor& result : results.value()) result = result.Cast(ComputeType(result.element()));
  return results;
}

Tensor Stack(std::span<const Tensor> slices, int64_t axis, const TensorType& type) {
  Shape shape = type.shape;
  shape[static_cast<size_t>(axis)] = static_cast<int64_t>(slices.size());
  Tensor out = Tensor::Zeros({type.element, shape});
  if (out.size() == 0) return out;
  const Shape outer(shape.begin(), shape.begin() + axis);
  const int64_t rows = NumElements(outer);
  const int64_t row_bytes = slices[0].type().bytes() / rows;
  std::byte* to = out.mutable_bytes();
  for (int64_t row = 0; row < rows; ++row)
    for (const Tensor& slice : slices) {
      std::memcpy(to, slice.bytes() + row * row_bytes, static_cast<size_t>(row_bytes));
      to += row_bytes;
    }
  return out;
}

}  // namespace metadist
