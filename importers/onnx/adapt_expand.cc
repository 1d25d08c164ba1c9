// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/adapt_expand.h"

#include <fmt/format.h>
#include <onnx/defs/attr_proto_util.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "importers/onnx/adapt.h"
#include "importers/onnx/check.h"
#include "importers/onnx/tensor.h"

namespace metadist::sequences {

const AttributeProto* AttributeOf(const NodeProto& node, const char* name) {
  for (const AttributeProto& attribute : node.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

int64_t IntOf(const NodeProto& node, const char* name, int64_t otherwise) {
  const AttributeProto* attribute = AttributeOf(node, name);
  return attribute != nullptr ? attribute->i() : otherwise;
}

const GraphProto* BodyOf(const NodeProto& node, const char* name) {
  const AttributeProto* attribute = AttributeOf(node, name);
  return attribute != nullptr && attribute->has_g() ? &attribute->g() : nullptr;
}

bool Has(const NodeProto& node, int input) {
  return node.input_size() > input && !node.input(input).empty();
}

Result<void> Expander::Run() {
  if (!Touches(model_->proto.graph())) return {};
  GraphProto read;
  read.mutable_node()->Swap(model_->proto.mutable_graph()->mutable_node());
  read.mutable_output()->Swap(model_->proto.mutable_graph()->mutable_output());
  OnnxModel head = *model_;
  Prefix prefix(head, external_, ops_);
  prefix_ = &prefix;
  Scope scope{model_->proto.mutable_graph()};
  Names names;
  WriteAll(read, {&scope, &names});
  for (const auto& output : read.output()) WriteOutput(output, &scope);
  if (full_)
    return BadInput("", fmt::format("its sequences make more than {} nodes", kMostWritten));
  if (!problems_.empty()) return Join(std::move(problems_));
  DropTypes();
  return {};
}

void Expander::DropTypes() {
  onnx::GraphProto* graph = model_->proto.mutable_graph();
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> kept;
  for (auto& value : *graph->mutable_value_info())
    if (value.type().has_tensor_type()) *kept.Add() = std::move(value);
  graph->mutable_value_info()->Swap(&kept);
}

void Expander::WriteAll(const GraphProto& read, At at) {
  for (int i = 0; i < read.node_size() && !full_; ++i) Write(read.node(i), i, at);
}

void Expander::Write(const NodeProto& read, int position, At at) {
  Names* names = at.names;
  NodeProto node = read;
  bool bad = false;
  for (std::string& input : *node.mutable_input()) {
    input = names->Of(input);
    bad = bad || bad_.count(input) > 0;
  }
  for (std::string& output : *node.mutable_output())
    if (!output.empty()) output = Define(output, names);
  if (!names->prefix.empty()) {
    node.set_name(names->prefix + node.name());
    Count(1);
  }
  if (!bad) {
    auto done = WriteNode(node, at);
    if (done.ok()) return;
    problems_.push_back(std::move(done).error().in(NodePlace(node, position)));
  }
  for (const std::string& output : node.output())
    if (!output.empty()) bad_.insert(output);
}

Result<void> Expander::WriteNode(const NodeProto& node, At at) {
  const Handler handler = HandlerOf(node);
  if (handler != nullptr) return (this->*handler)(node, at);
  const bool plain = node.domain().empty();
  if (plain && node.op_type() == "Identity" && node.input_size() == 1 && node.output_size() == 1)
    return Bind(node.input(0), node.output(0), node, at);
  if (plain && node.op_type() == "If") return If(node, at);
  if (plain && node.op_type() == "Loop") return Loop(node, at);
  return Keep(node, at);
}

Result<void> Expander::WriteBody(const GraphProto& read, At at) {
  const auto before = static_cast<std::ptrdiff_t>(problems_.size());
  WriteAll(read, at);
  if (static_cast<std::ptrdiff_t>(problems_.size()) == before) return {};
  std::vector<Error> inner(std::make_move_iterator(problems_.begin() + before),
                           std::make_move_iterator(problems_.end()));
  problems_.erase(problems_.begin() + before, problems_.end());
  return Join(std::move(inner));
}

Result<void> Expander::Keep(NodeProto node, At at) {
  for (const std::string& input : node.input())
    if (at.scope->Find(input) != nullptr)
      return BadInput(
          "",
          fmt::format("input '{}' is a sequence or an optional value", input),
          "only operators for these, Identity, If and Loop can read one; others read tensors");
  for (AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) TRY(KeepBody(attribute.mutable_g(), at));
    for (GraphProto& body : *attribute.mutable_graphs()) TRY(KeepBody(&body, at));
  }
  if (node.op_type() == "Constant" && node.domain().empty()) Note(node, at.scope);
  Add(at.scope, std::move(node));
  return {};
}

Result<void> Expander::KeepBody(GraphProto* body, At at) {
  GraphProto read;
  read.mutable_node()->Swap(body->mutable_node());
  Scope scope{body, at.scope};
  Names names{.outer = at.names};
  for (const auto& input : body->input()) names.renamed[input.name()] = input.name();
  for (onnx::TensorProto tensor : body->initializer()) {
    names.renamed[tensor.name()] = tensor.name();
    auto taken = TakeTensor(&tensor, external_);
    if (taken.ok()) scope.constants[tensor.name()] = std::move(taken).value();
  }
  TRY(WriteBody(read, {&scope, &names}));
  for (auto& output : *body->mutable_output()) {
    output.set_name(names.Of(output.name()));
    if (scope.Find(output.name()) != nullptr)
      return BadInput(fmt::format("output '{}' of its body", output.name()),
                      "a sequence or an optional value leaves a body that cannot be written out",
                      "the condition, or the number of iterations, depends on elements of inputs");
  }
  return {};
}

Result<std::vector<std::string>> Expander::Inline(const GraphProto& body,
                                                  const std::vector<std::string>& inputs,
                                                  const std::string& prefix,
                                                  At at) {
  if (body.input_size() != static_cast<int>(inputs.size()))
    return BadInput(
        "", fmt::format("its body must have {} inputs, got {}", inputs.size(), body.input_size()));
  Count(1);
  Names names{.prefix = prefix, .outer = at.names};
  for (int i = 0; i < body.input_size(); ++i)
    names.renamed[body.input(i).name()] = inputs[static_cast<size_t>(i)];
  for (onnx::TensorProto tensor : body.initializer()) {
    tensor.set_name(Define(tensor.name(), &names));
    *at.scope->graph->add_initializer() = std::move(tensor);
    Count(1);
  }
  TRY(WriteBody(body, {at.scope, &names}));
  if (full_) return BadInput("", "it is too long");
  std::vector<std::string> outputs;
  for (const auto& output : body.output()) outputs.push_back(names.Of(output.name()));
  return outputs;
}

void Expander::WriteOutput(const onnx::ValueInfoProto& output, Scope* scope) {
  GraphProto* graph = scope->graph;
  const Held* held = scope->Find(output.name());
  if (held == nullptr) {
    *graph->add_output() = output;
    return;
  }
  if (!held->sequence && held->tensors.empty())
    return problems_.push_back(BadInput(fmt::format("output '{}'", output.name()),
                                        "it is an optional value that holds nothing"));
  for (size_t i = 0; i < held->tensors.size(); ++i) {
    const std::string name =
        held->sequence ? fmt::format("{}.{}", output.name(), i) : output.name();
    Emit(scope, "Identity", {held->tensors[i]}, name, name);
    graph->add_output()->set_name(name);
  }
}

std::string Expander::Define(const std::string& name, Names* names) {
  const std::string made = names->prefix + name;
  names->renamed[name] = made;
  return made;
}

void Expander::Count(int64_t written) {
  written_ += written;
  full_ = full_ || written_ > kMostWritten;
}

NodeProto* Expander::Add(Scope* scope, NodeProto node) {
  NodeProto* added = scope->graph->add_node();
  *added = std::move(node);
  return added;
}

NodeProto* Expander::Emit(Scope* scope,
                          const char* op,
                          const std::vector<std::string>& inputs,
                          const std::string& output,
                          const std::string& name) {
  Count(1);
  NodeProto node = NodeOf(op, inputs, output);
  node.set_name(name);
  return Add(scope, std::move(node));
}

std::string Expander::Constant(Scope* scope, onnx::TensorProto value, const std::string& name) {
  NodeProto* node = Emit(scope, "Constant", {}, name, name);
  *node->add_attribute() = onnx::MakeAttribute("value", std::move(value));
  Note(*node, scope);
  return name;
}

void Expander::Note(const NodeProto& constant, Scope* scope) {
  if (constant.output_size() != 1 || constant.attribute_size() != 1) return;
  const AttributeProto& given = constant.attribute(0);
  Tensor* known = &scope->constants[constant.output(0)];
  onnx::TensorProto tensor = given.t();
  auto taken = TakeTensor(&tensor, external_);
  if (given.name() == "value" && taken.ok())
    *known = std::move(taken).value();
  else if (given.name() == "value_int")
    *known = Tensor::Scalar(int64_t{given.i()});
  else if (given.name() == "value_ints")
    *known = Tensor::Of<int64_t>({given.ints_size()}, {given.ints().begin(), given.ints().end()});
  else
    scope->constants.erase(constant.output(0));
}

Result<Tensor> Expander::Known(const std::string& name, const Scope* scope) {
  const auto found = scope->constants.find(name);
  if (found != scope->constants.end()) return found->second;
  if (scope->outer != nullptr) return Known(name, scope->outer);
  return prefix_->Find(name, *scope->graph);
}

Result<int64_t> Expander::Integer(const std::string& name, const char* what, const Scope* scope) {
  const Tensor known = TRY(Known(name, scope));
  const bool whole = ClassOf(known.element()) == ElementClass::kInt ||
                     ClassOf(known.element()) == ElementClass::kBool;
  if (!whole || known.size() != 1)
    return BadInput("",
                    fmt::format("{} must be one integer, got {}", what, TypeText(known.type())));
  if (!known.has_data())
    return BadInput("",
                    fmt::format("{} must be known when the model is read: '{}' depends on "
                                "elements of inputs",
                                what,
                                name));
  return known.ToInts()[0];
}

Result<void> Expander::Bind(const std::string& from,
                            const std::string& to,
                            const NodeProto& node,
                            At at) {
  if (to.empty()) return {};
  const Held* held = at.scope->Find(from);
  if (held != nullptr) {
    at.scope->held[to] = Held(*held);
    return {};
  }
  const auto constant = at.scope->constants.find(from);
  if (constant != at.scope->constants.end()) at.scope->constants[to] = Tensor(constant->second);
  Emit(at.scope, "Identity", {from}, to, node.name());
  return {};
}

bool Expander::Touches(const GraphProto& graph, const Scope* scope, const Names* names) {
  const auto held = [&](const std::string& name) {
    return scope != nullptr && scope->Find(names->Of(name)) != nullptr;
  };
  for (const auto& output : graph.output())
    if (held(output.name())) return true;
  return std::any_of(graph.node().begin(), graph.node().end(), [&](const NodeProto& node) {
    return HandlerOf(node) != nullptr ||
           std::any_of(node.input().begin(), node.input().end(), held) ||
           std::any_of(
               node.attribute().begin(), node.attribute().end(), [&](const AttributeProto& one) {
                 return one.has_g() && Touches(one.g(), scope, names);
               });
  });
}

}  // namespace metadist::sequences
