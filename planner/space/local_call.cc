// SPDX-License-Identifier: Apache-2.0
#include "planner/space/local_call.h"

#include <utility>

#include "metair/ops/held_call.h"
#include "metair/spmd/program.h"
#include "planner/space/call_text.h"

namespace metadist {

LocalCall::LocalCall(const OpDef& op,
                     const Graph& graph,
                     const Node& node,
                     const CallLayout& layout,
                     const Mesh& mesh,
                     int64_t rank)
    : call_(CallOf(op, graph, node)) {
  const std::vector<int64_t> coordinate = mesh.CoordinateOf(rank);
  for (size_t i = 0; i < call_.inputs.size(); ++i) {
    OpCall::Input& input = call_.inputs[i];
    if (!input.present || layout.inputs[i].CuttingAxes().empty()) continue;
    input.type.shape = LocalShape(input.type.shape, layout.inputs[i], mesh, rank);
    input.constant = nullptr;
  }
  for (const LocalLiteral& literal : layout.literals) {
    if (literal.input != kNone) {
      OpCall::Input& input = call_.inputs[static_cast<size_t>(literal.input)];
      if (input.constant == nullptr) continue;
      const auto local = LocalValues(input.constant->ToInts(), literal.entries, mesh, coordinate);
      literals_.push_back(Tensor::Of(input.type.shape, local).Cast(input.type.element));
      input.constant = &literals_.back();
      continue;
    }
    if (call_.attributes != &attributes_) attributes_ = node.attributes;
    call_.attributes = &attributes_;
    Attribute& value = attributes_.all()[literal.attribute];
    if (auto* number = std::get_if<int64_t>(&value))
      *number = LocalValues({*number}, literal.entries, mesh, coordinate)[0];
    else if (auto* list = std::get_if<std::vector<int64_t>>(&value))
      *list = LocalValues(*list, literal.entries, mesh, coordinate);
  }
  Hold(graph, node, layout);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    promised_.push_back({ElementType::kF32, {kRunTimeSize}});
    if (node.outputs[i] == kNone) continue;
    const TensorType& type = graph.value(node.outputs[i]).type;
    const Sharding& made = layout.outputs[i];
    promised_.back() = {HeldType(type, made).element, LocalShape(type.shape, made, mesh, rank)};
  }
}

// Adapts the call to partial sums that are held in f32.
void LocalCall::Hold(const Graph& graph, const Node& node, const CallLayout& layout) {
  Operands inputs{{}, {layout.inputs.begin(), layout.inputs.end()}};
  Operands outputs{{}, {layout.outputs.begin(), layout.outputs.end()}};
  for (size_t i = 0; i < layout.inputs.size(); ++i) inputs.types.push_back(call_.type(i));
  for (ValueId id : node.outputs)
    outputs.types.push_back(id == kNone ? TensorType{} : graph.value(id).type);
  Attributes held = *call_.attributes;
  HoldSums(inputs, outputs, held);
  if (!HoldsF32(held)) return;
  attributes_ = std::move(held);
  call_.attributes = &attributes_;
  for (size_t i = 0; i < layout.inputs.size(); ++i)
    call_.inputs[i].type = HeldType(std::move(call_.inputs[i].type), layout.inputs[i]);
}

bool LocalCall::Fits() const {
  const auto types = InferTypes(call_);
  if (!types.ok() || types.value().size() < promised_.size()) return false;
  for (size_t i = 0; i < promised_.size(); ++i) {
    const bool wanted = promised_[i].shape != Shape{kRunTimeSize};
    if (wanted && types.value()[i] != promised_[i]) return false;
  }
  return true;
}

ComputeWork LocalCall::work(const FusedOperands* fused) const {
  const auto inferred = InferTypes(call_);
  // A library's code may have ended since Fits() was asked.
  const std::vector<TensorType>& types = inferred.ok() ? inferred.value() : promised_;
  const Work work = WorkOf(call_, types);
  ComputeWork out;
  out.op = call_.op->name;
  const HeldOperands held = HeldOf(*call_.attributes);
  for (size_t i = 0; i < call_.inputs.size(); ++i) {
    if (!call_.has(i) || ClassOf(call_.type(i).element) != ElementClass::kFloat) continue;
    const bool own = i >= held.inputs.size() || !held.inputs[i];
    out.dtype = own ? call_.type(i).element : *held.inputs[i];
    break;
  }
  out.flops = work.flops;
  out.bytes = work.bytes;
  out.batch = work.batch;
  out.m = work.m;
  out.n = work.n;
  out.k = work.k;
  if (fused == nullptr || fused->made_inside.empty()) return out;
  out.fused_elements = NumElements(types[0].shape);
  if (fused->read_outside) out.outside_bytes += types[0].bytes();
  for (size_t i = 0; i < call_.inputs.size(); ++i)
    if (call_.has(i) && !fused->made_inside[i]) out.outside_bytes += call_.type(i).bytes();
  return out;
}

std::string LocalCall::text() const { return CallText(call_); }

}  // namespace metadist
