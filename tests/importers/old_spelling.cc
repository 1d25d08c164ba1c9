// SPDX-License-Identifier: Apache-2.0
#include "tests/importers/old_spelling.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <set>
#include <variant>

#include "importers/onnx/model.h"
#include "metair/ops/onnx_types.h"

namespace metadist {
namespace {

using onnx::AttributeProto;
using onnx::OpSchema;
using onnx::OpSchemaRegistry;

// "tensor(int64)"
std::string TypeName(ElementType element) {
  switch (element) {
    case ElementType::kF64:
      return "tensor(double)";
    case ElementType::kF32:
      return "tensor(float)";
    case ElementType::kF16:
      return "tensor(float16)";
    case ElementType::kBF16:
      return "tensor(bfloat16)";
    case ElementType::kBool:
      return "tensor(bool)";
    default: {
      const std::string name(Name(element));
      return fmt::format("tensor({}int{})", name[0] == 'u' ? "u" : "", name.substr(1));
    }
  }
}

void SetTensor(const Tensor& tensor, onnx::TensorProto* proto) {
  proto->set_data_type(static_cast<int>(OnnxNumberOf(tensor.element())));
  for (int64_t size : tensor.shape()) proto->add_dims(size);
  proto->set_raw_data(tensor.bytes(), static_cast<size_t>(tensor.type().bytes()));
}

struct Setter {
  AttributeProto* to;
  void operator()(int64_t value) const {
    to->set_type(AttributeProto::INT);
    to->set_i(value);
  }
  void operator()(double value) const {
    to->set_type(AttributeProto::FLOAT);
    to->set_f(static_cast<float>(value));
  }
  void operator()(const std::string& value) const {
    to->set_type(AttributeProto::STRING);
    to->set_s(value);
  }
  void operator()(const std::vector<int64_t>& values) const {
    to->set_type(AttributeProto::INTS);
    for (int64_t value : values) to->add_ints(value);
  }
  void operator()(const std::vector<double>& values) const {
    to->set_type(AttributeProto::FLOATS);
    for (double value : values) to->add_floats(static_cast<float>(value));
  }
  void operator()(const std::vector<std::string>& values) const {
    to->set_type(AttributeProto::STRINGS);
    for (const std::string& value : values) to->add_strings(value);
  }
  void operator()(const Tensor& value) const {
    to->set_type(AttributeProto::TENSOR);
    SetTensor(value, to->mutable_t());
  }
};

class PositionDecoder {
 public:
  PositionDecoder(const OpDef& op,
                  const OpExample& example,
                  const std::vector<Tensor>& elements,
                  int opset)
      : example_(example),
        elements_(elements),
        old_(*OpSchemaRegistry::Schema(op.name, opset, "")),
        new_(*OpSchemaRegistry::Schema(op.name, static_cast<int>(kCanonicalOpset), "")) {
    out_.model.set_ir_version(opset < 9 ? 3 : 8);
    out_.model.add_opset_import()->set_version(opset);
    graph_ = out_.model.mutable_graph();
    graph_->set_name("g");
    node_ = graph_->add_node();
    node_->set_op_type(op.name);
  }

  OldSpelling Run() {
    for (const auto& [name, value] : example_.attributes.all()) AddAttribute(name, value);
    for (size_t i = 0; i < elements_.size(); ++i) AddOperand(static_cast<int>(i));
    StateChangedDefaults();
    while (node_->input_size() > 0 && node_->input(node_->input_size() - 1).empty())
      node_->mutable_input()->RemoveLast();
    if (node_->input_size() < old_.min_input()) out_.impossible = "so few operands";
    for (int i = 0; i < node_->input_size(); ++i)
      if (node_->input(i).empty() &&
          old_.inputs()[static_cast<size_t>(i)].GetOption() == onnx::OpSchema::Single)
        out_.impossible = "an operand left out";
    if (example_.num_outputs > old_.max_output()) out_.impossible = "so many outputs";
    for (int i = 0; i < example_.num_outputs; ++i) {
      node_->add_output(fmt::format("y{}", i));
      graph_->add_output()->set_name(node_->output(i));
    }
    return std::move(out_);
  }

 private:
  void Set(const std::string& name, const Attribute& value) {
    AttributeProto* attribute = node_->add_attribute();
    attribute->set_name(name);
    std::visit(Setter{attribute}, value);
    set_.insert(name);
  }

  // An attribute that the old operator lacks must state its implicit behaviour.
  void AddAttribute(const std::string& name, const Attribute& value) {
    if (old_.attributes().count(name) > 0) return Set(name, value);
    const auto known = new_.attributes().find(name);
    AttributeProto stated;
    std::visit(Setter{&stated}, value);
    stated.set_name(name);
    const bool same = known != new_.attributes().end() &&
                      stated.SerializeAsString() == known->second.default_value.SerializeAsString();
    if (!same) out_.impossible = "attribute " + name;
  }

  void AddOperand(int i) {
    const Tensor& tensor = elements_[static_cast<size_t>(i)];
    const bool left_out = !tensor.has_data();
    if (i >= old_.max_input()) return left_out ? void() : AddAsAttribute(i);
    node_->add_input(left_out ? "" : fmt::format("a{}", i));
    if (left_out) return;
    const auto& formal =
        old_.inputs()[std::min<size_t>(static_cast<size_t>(i), old_.inputs().size() - 1)];
    const auto& types = formal.GetTypes();
    const bool allowed = std::any_of(types.begin(), types.end(), [&](const std::string* type) {
      return *type == TypeName(tensor.element());
    });
    if (!allowed) out_.impossible = TypeName(tensor.element());
    const bool constant = !example_.inputs[static_cast<size_t>(i)].constant.empty();
    if (constant) {
      onnx::TensorProto* proto = graph_->add_initializer();
      proto->set_name(fmt::format("a{}", i));
      SetTensor(tensor, proto);
      if (out_.model.ir_version() >= 4) return;
    } else {
      out_.inputs.push_back(tensor);
    }
    onnx::ValueInfoProto* input = graph_->add_input();
    input->set_name(fmt::format("a{}", i));
    auto* type = input->mutable_type()->mutable_tensor_type();
    type->set_elem_type(static_cast<int>(OnnxNumberOf(tensor.element())));
    type->mutable_shape();
    for (int64_t size : tensor.shape()) type->mutable_shape()->add_dim()->set_dim_value(size);
  }

  // Writes an operand that was an attribute of the same name.
  void AddAsAttribute(int i) {
    const Tensor& tensor = elements_[static_cast<size_t>(i)];
    std::string name = new_.inputs()[static_cast<size_t>(i)].GetName();
    if (name == "K") name = "k";
    if (name == "constant_value") name = "value";
    const auto known = old_.attributes().find(name);
    const bool constant =
        !example_.inputs[static_cast<size_t>(i)].constant.empty() || tensor.size() == 1;
    if (known == old_.attributes().end() || !constant) {
      out_.impossible = "operand " + name;
    } else if (known->second.type == AttributeProto::INTS) {
      Set(name, tensor.ToInts());
    } else if (known->second.type == AttributeProto::INT) {
      Set(name, tensor.ToInts().at(0));
    } else if (known->second.type == AttributeProto::FLOAT) {
      Set(name, tensor.ToDoubles().at(0));
    } else if (known->second.type == AttributeProto::FLOATS) {
      Set(name, tensor.ToDoubles());
    } else {
      out_.impossible = "operand " + name;
    }
  }

  // Defaults that differ between the versions are written out.
  void StateChangedDefaults() {
    for (const auto& [name, attribute] : new_.attributes()) {
      const auto before = old_.attributes().find(name);
      if (before == old_.attributes().end() || set_.count(name) > 0) continue;
      if (attribute.default_value.SerializeAsString() ==
          before->second.default_value.SerializeAsString())
        continue;
      if (attribute.default_value.name().empty()) continue;
      *node_->add_attribute() = attribute.default_value;
    }
  }

  const OpExample& example_;
  const std::vector<Tensor>& elements_;
  const OpSchema& old_;
  const OpSchema& new_;
  OldSpelling out_;
  onnx::GraphProto* graph_;
  onnx::NodeProto* node_;
  std::set<std::string> set_;
};

}  // namespace

std::vector<int> OpsetsThatDiffer(const std::string& op) {
  std::vector<int> opsets;
  const OpSchema* before = nullptr;
  for (int opset = 7; opset <= static_cast<int>(kCanonicalOpset); ++opset) {
    const OpSchema* schema = OpSchemaRegistry::Schema(op, opset, "");
    if (schema != nullptr && schema != before && !schema->Deprecated()) opsets.push_back(opset);
    before = schema;
  }
  return opsets;
}

OldSpelling SpellOld(const OpDef& op,
                     const OpExample& example,
                     const std::vector<Tensor>& elements,
                     int opset) {
  return PositionDecoder(op, example, elements, opset).Run();
}

}  // namespace metadist
