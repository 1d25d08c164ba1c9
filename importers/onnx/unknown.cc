// SPDX-License-Identifier: Apache-2.0
//
// Types of operators that are not in the operator table. The library's inference for a whole model
// stops where a shape depends on elements that it does not propagate. Called for one node at a
// time, with the types (and small constants) that our own inference knows by then, it succeeds more
// often.
#include <fmt/format.h>
#include <onnx/shape_inference/implementation.h>

#include <memory>
#include <set>
#include <utility>

#include "importers/onnx/adapt_gradients.h"
#include "importers/onnx/model.h"
#include "metair/ops/onnx_types.h"
#include "metair/passes/infer_types.h"

namespace metadist {
namespace {

// Constants up to this size are passed to the library: shapes, axes, paddings.
constexpr int64_t kShownBytes = 4096;

void AddInput(const Value& value, onnx::GraphProto* graph) {
  const int number = static_cast<int>(OnnxNumberOf(value.type.element));
  if (value.kind == ValueKind::kConstant && value.data.has_data() &&
      value.type.bytes() <= kShownBytes) {
    onnx::TensorProto* tensor = graph->add_initializer();
    tensor->set_name(value.name);
    tensor->set_data_type(number);
    for (int64_t size : value.type.shape) tensor->add_dims(size);
    tensor->set_raw_data(value.data.bytes(), static_cast<size_t>(value.type.bytes()));
    return;
  }
  onnx::ValueInfoProto* input = graph->add_input();
  input->set_name(value.name);
  auto* type = input->mutable_type()->mutable_tensor_type();
  type->set_elem_type(number);
  type->mutable_shape();
  for (int64_t size : value.type.shape) {
    auto* dim = type->mutable_shape()->add_dim();
    if (size != kRunTimeSize) dim->set_dim_value(size);
  }
}

// The types that the library finds for the results of one node, by name.
std::map<std::string, TensorType> AskLibrary(const onnx::ModelProto& proto,
                                             const onnx::NodeProto& node_proto,
                                             const Graph& graph,
                                             const Node& node) {
  onnx::ModelProto model;
  model.set_ir_version(proto.ir_version());
  *model.mutable_opset_import() = proto.opset_import();
  onnx::GraphProto* alone = model.mutable_graph();
  alone->set_name("alone");
  *alone->add_node() = node_proto;
  std::set<ValueId> inputs(node.inputs.begin(), node.inputs.end());
  for (const Region& region : node.regions)
    inputs.insert(region.captures.begin(), region.captures.end());
  for (ValueId id : inputs)
    if (id != kNone) AddInput(graph.value(id), alone);
  try {
    onnx::shape_inference::InferShapes(
        model, onnx::OpSchemaRegistry::Instance(), onnx::ShapeInferenceOptions(false, 0, true));
  } catch (const std::exception&) {
    return {};
  }
  std::map<std::string, TensorType> types;
  for (const auto& value : model.graph().value_info()) {
    const std::optional<TensorType> type = TypeOfProto(value.type());
    if (type) types[value.name()] = *type;
  }
  return types;
}

}  // namespace

Result<std::vector<TensorType>> InferUnknown(const BuiltGraph& built,
                                             const onnx::ModelProto& proto,
                                             const Graph& graph,
                                             const Node& node) {
  if (IsGradient(node)) return InferGradient(graph, node);
  const std::map<std::string, TensorType> found =
      AskLibrary(proto, *built.unknown.at(node.name), graph, node);
  std::vector<TensorType> types;
  std::vector<Error> problems;
  for (ValueId id : node.outputs) {
    types.emplace_back();
    if (id == kNone) continue;
    const std::string& name = graph.value(id).name;
    const auto inferred = found.find(name);
    const auto stated = built.stated.find(name);
    const bool use_inferred = inferred != found.end() &&
                              (IsKnown(inferred->second.shape) || stated == built.stated.end());
    if (use_inferred)
      types.back() = inferred->second;
    else if (stated != built.stated.end())
      types.back() = stated->second;
    else
      problems.push_back(BadInput(
          "",
          fmt::format("the operator is unknown and the model does not state the type of '{}'",
                      name)));
  }
  if (!problems.empty()) return Join(std::move(problems));
  return types;
}

std::vector<std::string> TypeBodies(Graph* graph, const OpTable& ops) {
  std::vector<std::string> failed;
  for (Node& node : graph->nodes) {
    if (ops.Find(node) != nullptr) continue;
    bool good = true;
    for (Region& region : node.regions) {
      Graph body = *region.graph;
      const size_t first = body.inputs.size() - region.captures.size();
      for (size_t i = 0; i < region.captures.size(); ++i)
        body.value(body.inputs[first + i]).type = graph->value(region.captures[i]).type;
      auto typed = InferTypesAndFold(body, ops);
      if (!typed.ok()) {
        good = false;
      } else {
        body = std::move(typed).value();
        if (!TypeBodies(&body, ops).empty()) good = false;
      }
      region.graph = std::make_shared<const Graph>(std::move(body));
    }
    if (!good) failed.push_back(node.name);
  }
  return failed;
}

}  // namespace metadist
