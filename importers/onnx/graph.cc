// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "importers/onnx/adapt_gradients.h"
#include "importers/onnx/model.h"
#include "importers/onnx/tensor.h"
#include "metair/ir/suggest.h"
#include "metair/ir/unique_names.h"
#include "metair/ops/onnx_types.h"

namespace metadist {
namespace {

// A larger initializer may be a parameter rather than a constant.
constexpr int64_t kConstantElements = 16;

ValueKind KindOf(const Tensor& tensor) {
  const bool large = !tensor.has_data() || tensor.size() > kConstantElements;
  return IsQuantity(tensor.element()) && tensor.rank() >= 1 && large ? ValueKind::kParameter
                                                                     : ValueKind::kConstant;
}

// Data shared by all graphs of a model while they are built.
struct Shared {
  OnnxModel* model;
  ExternalData* external;
  const OpTable& ops;
  Imported* imported;
  std::map<std::string, const onnx::NodeProto*> unknown;
  std::vector<Error> problems;
};

// Builds one graph. A body has its own builder, which turns names that the body does not define
// into captures.
class Builder {
 public:
  Builder(Shared* shared, const onnx::GraphProto& proto, bool body)
      : shared_(shared), proto_(proto), body_(body) {}

  void Build() {
    graph_.name = proto_.name().empty() ? "graph" : proto_.name();
    graph_.opset = std::max(kCanonicalOpset, OpsetOf(shared_->model->proto));
    for (const auto& value : proto_.value_info()) RecordType(value);
    for (const auto& value : proto_.output()) RecordType(value);
    for (const auto& input : proto_.input()) AddInput(input);
    if (!body_)
      for (auto& [name, tensor] : shared_->model->weights)
        AddStored(name,
                  tensor,
                  shared_->model->known.count(name) > 0 ? ValueKind::kConstant : KindOf(tensor));
    for (const auto& tensor : proto_.initializer()) AddInitializer(tensor);
    for (const auto& node : proto_.node()) AddNode(node);
    for (const auto& output : proto_.output()) graph_.outputs.push_back(Find(output.name()));
  }

  // Names of the outer values that the body reads, in the order of its last inputs.
  const std::vector<std::string>& captured() const { return captured_; }
  Graph Take() {
    for (ValueId id : captures_) graph_.inputs.push_back(id);
    return std::move(graph_);
  }
  std::map<std::string, TensorType> TakeStated() { return std::move(types_); }

 private:
  void RecordType(const onnx::ValueInfoProto& value) {
    const std::optional<TensorType> type = TypeOfProto(value.type());
    if (type) types_[value.name()] = *type;
  }

  ValueId Add(const std::string& name, TensorType type, ValueKind kind) {
    Value value;
    value.name = name;
    value.type = std::move(type);
    value.kind = kind;
    const ValueId id = graph_.AddValue(std::move(value));
    ids_[name] = id;
    return id;
  }

  void AddInput(const onnx::ValueInfoProto& input) {
    if (!body_ && shared_->model->weight_index.count(input.name()) > 0) return;
    const std::optional<TensorType> type = TypeOfProto(input.type());
    graph_.inputs.push_back(
        Add(input.name(), type.value_or(TensorType{ElementType::kF32, {}}), ValueKind::kInput));
  }

  void AddStored(const std::string& name, const Tensor& tensor, ValueKind kind) {
    graph_.value(Add(name, tensor.type(), kind)).data = tensor;
  }

  void AddInitializer(onnx::TensorProto tensor) {
    if (!body_ && shared_->model->weight_index.count(tensor.name()) > 0) return;
    auto taken = TakeTensor(&tensor, shared_->external);
    if (!taken.ok()) {
      const std::string where = fmt::format("initializer '{}'", tensor.name());
      shared_->problems.push_back(std::move(taken).error().in(where));
      return;
    }
    AddStored(tensor.name(), taken.value(), ValueKind::kConstant);
  }

  ValueId Find(const std::string& name) {
    if (name.empty()) return kNone;
    const auto found = ids_.find(name);
    if (found != ids_.end()) return found->second;
    if (!body_) {
      shared_->problems.push_back(BadInput(fmt::format("value '{}'", name), "it is undefined"));
      return kNone;
    }
    captured_.push_back(name);
    captures_.push_back(Add(name, TensorType{ElementType::kF32, {}}, ValueKind::kInput));
    return captures_.back();
  }

  void AddNode(const onnx::NodeProto& proto) {
    Node node;
    node.name = node_names_.Fresh(proto.name().empty()
                                      ? fmt::format("{}_{}", proto.op_type(), graph_.nodes.size())
                                      : proto.name());
    node.domain = proto.domain();
    node.op = proto.op_type();
    for (const std::string& input : proto.input()) node.inputs.push_back(Find(input));
    while (!node.inputs.empty() && node.inputs.back() == kNone) node.inputs.pop_back();
    for (const auto& attribute : proto.attribute()) AddAttribute(attribute, &node);
    const bool differentiates = IsGradient(node) && !body_;
    if (differentiates) AddDifferentiated(proto, &node);
    const bool known = differentiates || shared_->ops.Find(node) != nullptr;
    if (!known)
      ++shared_->imported->opaque[node.domain.empty() ? node.op : node.domain + "." + node.op];
    if (!known && !body_) shared_->unknown[node.name] = &proto;
    for (const std::string& output : proto.output())
      node.outputs.push_back(output.empty() ? kNone : AddResult(output));
    while (!node.outputs.empty() && node.outputs.back() == kNone) node.outputs.pop_back();
    graph_.AddNode(std::move(node));
    ++shared_->imported->nodes;
  }

  void AddDifferentiated(const onnx::NodeProto& proto, Node* node) {
    auto y = DifferentiatedBy(*node,
                              {proto.input().begin(), proto.input().end()},
                              static_cast<size_t>(proto.output_size()));
    if (y.ok())
      node->inputs.push_back(Find(y.value()));
    else
      shared_->problems.push_back(
          std::move(y).error().in(fmt::format("node '{}' ({})", node->name, node->op)));
  }

  ValueId AddResult(const std::string& name) {
    const auto type = types_.find(name);
    return Add(name,
               type != types_.end() ? type->second : TensorType{ElementType::kF32, {}},
               ValueKind::kResult);
  }

  void AddAttribute(const onnx::AttributeProto& proto, Node* node) {
    using Proto = onnx::AttributeProto;
    const std::string& name = proto.name();
    const auto set = [&](Attribute value) { node->attributes.set(name, std::move(value)); };
    switch (proto.type()) {
      case Proto::INT:
        return set(int64_t{proto.i()});
      case Proto::FLOAT:
        return set(static_cast<double>(proto.f()));
      case Proto::STRING:
        return set(proto.s());
      case Proto::INTS:
        return set(std::vector<int64_t>(proto.ints().begin(), proto.ints().end()));
      case Proto::FLOATS:
        return set(std::vector<double>(proto.floats().begin(), proto.floats().end()));
      case Proto::STRINGS:
        return set(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
      case Proto::TENSOR:
        return AddTensor(proto, node);
      case Proto::GRAPH:
        return AddRegion(proto, node);
      default:
        shared_->problems.push_back(
            BadInput(fmt::format("node '{}' ({})", node->name, node->op),
                     fmt::format("attribute '{}' of type {} is not supported",
                                 name,
                                 Proto::AttributeType_Name(proto.type()))));
    }
  }

  void AddTensor(const onnx::AttributeProto& proto, Node* node) {
    onnx::TensorProto tensor = proto.t();
    auto taken = TakeTensor(&tensor, shared_->external);
    if (taken.ok()) return node->attributes.set(proto.name(), std::move(taken).value());
    const std::string where =
        fmt::format("node '{}' ({}): attribute '{}'", node->name, node->op, proto.name());
    shared_->problems.push_back(std::move(taken).error().in(where));
  }

  void AddRegion(const onnx::AttributeProto& proto, Node* node) {
    Builder inner(shared_, proto.g(), /*body=*/true);
    inner.Build();
    Region region;
    region.name = proto.name();
    for (const std::string& name : inner.captured()) region.captures.push_back(Find(name));
    region.graph = std::make_shared<const Graph>(inner.Take());
    node->regions.push_back(std::move(region));
  }

  Shared* shared_;
  const onnx::GraphProto& proto_;
  const bool body_;
  Graph graph_;
  std::map<std::string, ValueId> ids_;
  std::map<std::string, TensorType> types_;
  UniqueNames node_names_;
  std::vector<std::string> captured_;
  std::vector<ValueId> captures_;
};

}  // namespace

std::optional<TensorType> TypeOfProto(const onnx::TypeProto& proto) {
  if (!proto.has_tensor_type() || !proto.tensor_type().has_shape()) return std::nullopt;
  const auto element = ElementTypeOfOnnx(proto.tensor_type().elem_type());
  if (!element) return std::nullopt;
  TensorType type{*element, {}};
  for (const auto& dim : proto.tensor_type().shape().dim())
    type.shape.push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value()
                                                                     : kRunTimeSize);
  return type;
}

Result<BuiltGraph> BuildGraph(OnnxModel* model,
                              ExternalData* external,
                              const OpTable& ops,
                              Imported* imported) {
  Shared shared{model, external, ops, imported, {}, {}};
  Builder builder(&shared, model->proto.graph(), /*body=*/false);
  builder.Build();
  if (!shared.problems.empty()) return Join(std::move(shared.problems));
  return BuiltGraph{builder.Take(), std::move(shared.unknown), builder.TakeStated()};
}

}  // namespace metadist
