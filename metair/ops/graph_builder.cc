// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/graph_builder.h"

#include <fmt/format.h>

#include <cctype>

#include "metair/ir/suggest.h"

namespace metadist {
namespace {

std::string FullName(const OpDef& op) {
  return op.domain.empty() ? op.name : op.domain + "." + op.name;
}

// op: `Name` or `domain.Name`.
Node NodeOf(const std::string& op,
            const std::vector<ValueId>& inputs,
            const Attributes& attributes,
            size_t outputs) {
  Node node;
  const size_t dot = op.rfind('.');
  if (dot != std::string::npos) node.domain = op.substr(0, dot);
  node.op = dot == std::string::npos ? op : op.substr(dot + 1);
  node.attributes = attributes;
  node.inputs = inputs;
  node.outputs.assign(outputs, kNone);
  return node;
}

}  // namespace

GraphBuilder::GraphBuilder(std::string name, const OpTable& ops) : ops_(&ops), all_own_(true) {
  graph_.name = std::move(name);
}

GraphBuilder::GraphBuilder(Graph graph, const OpTable& ops)
    : ops_(&ops), graph_(std::move(graph)) {}

GraphBuilder GraphBuilder::Rewrite(const Graph& graph, const OpTable& ops) {
  GraphBuilder b({graph.name,
                  graph.opset,
                  graph.values,
                  {},
                  graph.inputs,
                  graph.outputs,
                  graph.state,
                  graph.micro_batches},
                 ops);
  b.rewritten_ = &graph;
  return b;
}

std::string GraphBuilder::Fresh(const std::string& wanted) {
  all_own_ = false;
  if (!names_) names_.emplace(rewritten_ != nullptr ? *rewritten_ : graph_);
  return names_->Fresh(wanted);
}

ValueId GraphBuilder::AddValue(std::string name, TensorType type, ValueKind kind, Tensor data) {
  return graph_.AddValue({std::move(name), std::move(type), kind, std::move(data), kNone});
}

ValueId GraphBuilder::Input(const std::string& name, TensorType type) {
  graph_.inputs.push_back(AddValue(Fresh(name), std::move(type), ValueKind::kInput, {}));
  return graph_.inputs.back();
}

ValueId GraphBuilder::InputAt(size_t place, TensorType type) {
  graph_.inputs.push_back(
      AddValue(Own("x" + std::to_string(place)), std::move(type), ValueKind::kInput, {}));
  return graph_.inputs.back();
}

ValueId GraphBuilder::Parameter(const std::string& name, Tensor data) {
  TensorType type = data.type();
  return AddValue(Fresh(name), std::move(type), ValueKind::kParameter, std::move(data));
}

ValueId GraphBuilder::Constant(Tensor data, const std::string& name) {
  TensorType type = data.type();
  return AddValue(name.empty() ? Own("c" + std::to_string(graph_.values.size())) : Fresh(name),
                  std::move(type),
                  ValueKind::kConstant,
                  std::move(data));
}

ValueId GraphBuilder::Number(double value, ValueId like) {
  if (failed()) return 0;
  return Constant(Tensor::Scalar(value).Cast(type(like).element));
}

ValueId GraphBuilder::Integer(int64_t value) { return Constant(Tensor::Scalar(value)); }

ValueId GraphBuilder::Integers(const std::vector<int64_t>& values) {
  return Constant(Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values));
}

ValueId GraphBuilder::Add(const std::string& op,
                          const std::vector<ValueId>& inputs,
                          const Attributes& attributes) {
  return AddAll(op, inputs, attributes, 1)[0];
}

std::vector<ValueId> GraphBuilder::AddAll(const std::string& op,
                                          const std::vector<ValueId>& inputs,
                                          const Attributes& attributes,
                                          size_t outputs) {
  Node node = NodeOf(op, inputs, attributes, outputs);
  const OpDef* def = Find(node);
  return def == nullptr ? std::vector<ValueId>(outputs, 0) : Write(*def, std::move(node));
}

ValueId GraphBuilder::Fold(const std::string& op,
                           ValueId value,
                           const std::vector<int64_t>& axes,
                           bool keep) {
  return Add(op, {value, Integers(axes)}, {{"keepdims", keep ? 1 : 0}});
}

ValueId GraphBuilder::With(const std::string& op,
                           ValueId value,
                           const std::vector<int64_t>& integers) {
  return Add(op, {value, Integers(integers)});
}

std::vector<ValueId> GraphBuilder::Append(Node node, const std::vector<std::string>& outputs) {
  node.outputs.assign(outputs.size(), kNone);
  const OpDef* op = Find(node);
  if (op == nullptr) return std::vector<ValueId>(outputs.size(), 0);
  node.name = Fresh(node.name);
  return Write(*op, std::move(node), outputs);
}

std::vector<ValueId> GraphBuilder::Like(const OpDef& op,
                                        const Node& node,
                                        const std::vector<ValueId>& inputs) {
  Node next = node;
  next.inputs = inputs;
  return Write(op, std::move(next));
}

std::vector<ValueId> GraphBuilder::AddCall(const OpCall& call, const std::string& name) {
  Node node;
  node.name = Fresh(name);
  node.domain = call.op->domain;
  node.op = call.op->name;
  node.attributes = *call.attributes;
  node.outputs.assign(static_cast<size_t>(call.num_outputs), kNone);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const OpCall::Input& input = call.inputs[i];
    const std::string input_name = fmt::format("{}.in{}", node.name, i);
    node.inputs.push_back(!input.present              ? kNone
                          : input.constant != nullptr ? Constant(*input.constant, input_name)
                                                      : Input(input_name, input.type));
  }
  std::vector<std::string> outputs;
  for (int o = 0; o < call.num_outputs; ++o)
    outputs.push_back(fmt::format("{}.out{}", node.name, o));
  return Write(*call.op, std::move(node), outputs);
}

const OpDef* GraphBuilder::Find(const Node& node) {
  const OpDef* op = ops_->Find(node);
  if (op != nullptr) return op;
  std::vector<std::string> known;
  for (const OpDef* other : ops_->all()) known.push_back(FullName(*other));
  const std::string name = node.domain.empty() ? node.op : node.domain + "." + node.op;
  Fail(node, BadInput("", fmt::format("no operator '{}'", name), DidYouMean(name, known)));
  return nullptr;
}

void GraphBuilder::Fail(const Node& node, Error error) {
  if (failed()) return;
  const std::string name =
      node.name.empty() ? fmt::format("{}{}", node.op, graph_.nodes.size()) : node.name;
  error_ = std::move(error).in(fmt::format("node '{}'", name));
  // Value 0, the id returned after an error, must exist because its type may be queried.
  if (graph_.values.empty()) AddValue(Fresh("none"), {}, ValueKind::kResult, {});
}

std::vector<ValueId> GraphBuilder::Write(const OpDef& op, Node node) {
  if (failed()) return std::vector<ValueId>(node.outputs.size(), 0);
  const size_t place = graph_.nodes.size();
  // Of operators Norm and Norm1 the nodes 12 and 2 would have one name.
  const bool own = std::isdigit(static_cast<unsigned char>(node.op.back())) == 0;
  const std::string number = std::to_string(place);
  node.name = own ? Own(node.op + number) : Fresh(node.op + number);
  std::vector<std::string> outputs;
  outputs.reserve(node.outputs.size());
  for (size_t o = 0; o < node.outputs.size(); ++o)
    outputs.push_back(Own(o == 0 ? "v" + number : fmt::format("v{}.{}", number, o)));
  return WriteAs(op, std::move(node), std::move(outputs));
}

std::vector<ValueId> GraphBuilder::Write(const OpDef& op,
                                         Node node,
                                         const std::vector<std::string>& outputs) {
  std::vector<std::string> names;
  for (const std::string& wanted : outputs)
    names.push_back(wanted.empty() ? wanted : Fresh(wanted));
  return WriteAs(op, std::move(node), std::move(names));
}

std::vector<ValueId> GraphBuilder::WriteAs(const OpDef& op,
                                           Node node,
                                           std::vector<std::string> outputs) {
  if (!failed()) {
    auto types = InferTypes(CallOf(op, graph_, node));
    if (types.ok()) {
      for (size_t o = 0; o < outputs.size(); ++o)
        node.outputs[o] =
            outputs[o].empty()
                ? kNone
                : AddValue(
                      std::move(outputs[o]), std::move(types.value()[o]), ValueKind::kResult, {});
      std::vector<ValueId> made = node.outputs;
      graph_.AddNode(std::move(node));
      return made;
    }
    Fail(node, std::move(types).error());
  }
  return std::vector<ValueId>(outputs.size(), 0);
}

Result<Graph> GraphBuilder::Done() {
  if (failed()) return *error_;
  return std::move(graph_);
}

}  // namespace metadist
