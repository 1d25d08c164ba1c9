// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/check.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "metair/ir/suggest.h"

namespace metadist {
namespace {

using onnx::AttributeProto;

std::string ShortDomain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

std::string TypeName(int type) {
  if (!onnx::AttributeProto_AttributeType_IsValid(type)) return fmt::format("type {}", type);
  return onnx::AttributeProto_AttributeType_Name(static_cast<AttributeProto::AttributeType>(type));
}

// An operator that is younger than the imported opset is read as its newest version.
const onnx::OpSchema* SchemaOf(const onnx::NodeProto& node, const NodeRules& rules) {
  const auto import = rules.opsets.find(ShortDomain(node.domain()));
  if (import == rules.opsets.end()) return nullptr;
  const auto version = static_cast<int>(std::clamp<int64_t>(import->second, 0, 1000));
  const onnx::OpSchema* schema =
      onnx::OpSchemaRegistry::Schema(node.op_type(), version, import->first);
  return schema != nullptr ? schema : onnx::OpSchemaRegistry::Schema(node.op_type(), import->first);
}

std::string CountText(int least, int most, const char* what) {
  if (least == most) return fmt::format("{} {}{}", least, what, least == 1 ? "" : "s");
  if (most == std::numeric_limits<int>::max())
    return fmt::format("at least {} {}{}", least, what, least == 1 ? "" : "s");
  return fmt::format("{} to {} {}s", least, most, what);
}

class Checker {
 public:
  Checker(const onnx::NodeProto& node, const NodeRules& rules) : node_(node), rules_(rules) {}

  std::vector<Error> Run() {
    CheckDomain();
    CheckAttributeNames();
    const auto function = rules_.functions->find(KeyOf(node_));
    if (function != rules_.functions->end())
      CheckCall(*function->second);
    else if (const onnx::OpSchema* schema = SchemaOf(node_, rules_))
      CheckSchema(*schema);
    else
      CheckUndefined();
    return std::move(problems_);
  }

 private:
  void Fail(std::string message, std::string hint = "") {
    problems_.push_back(BadInput("", std::move(message), std::move(hint)));
  }

  void CheckDomain() {
    const std::string domain = ShortDomain(node_.domain());
    if (node_.op_type().empty()) return Fail("the node names no operator");
    if (domain.empty() || rules_.opsets.count(domain) > 0) return;
    Fail(fmt::format("domain '{}' is not imported", domain),
         "the model's opset_import must list it with a version");
  }

  void CheckAttributeNames() {
    std::set<std::string> names;
    for (const AttributeProto& attribute : node_.attribute()) {
      if (!names.insert(attribute.name()).second)
        Fail(fmt::format("attribute '{}' is given twice", attribute.name()));
      if (!onnx::AttributeProto_AttributeType_IsValid(attribute.type()) ||
          attribute.type() == AttributeProto::UNDEFINED)
        Fail(fmt::format("attribute '{}' has no known type, got {}",
                         attribute.name(),
                         TypeName(attribute.type())));
      const std::string& outer = attribute.ref_attr_name();
      if (outer.empty()) continue;
      if (!rules_.in_function)
        Fail(fmt::format(
            "attribute '{}' refers to attribute '{}' of a function, but the node is in none",
            attribute.name(),
            outer));
      else if (rules_.attributes.count(outer) == 0)
        Fail(
            fmt::format("attribute '{}' refers to attribute '{}', which the function does not have",
                        attribute.name(),
                        outer));
    }
  }

  void CheckCount(int got, int least, int most, const char* what) {
    if (got < least || got > most)
      Fail(fmt::format("expected {}, got {}", CountText(least, most, what), got), see_);
  }

  void CheckCall(const onnx::FunctionProto& function) {
    CheckCount(node_.input_size(), 0, function.input_size(), "input");
    CheckCount(node_.output_size(), 0, function.output_size(), "output");
  }

  // An undefined name in a domain with functions is an error; other domains have operators from
  // elsewhere.
  void CheckUndefined() {
    std::vector<std::string> known;
    for (const auto& [key, function] : *rules_.functions)
      if (key[0] == ShortDomain(node_.domain())) known.push_back(key[1]);
    if (known.empty() || node_.domain().empty()) return;
    std::string hint = DidYouMean(node_.op_type(), known);
    if (hint.empty() && !node_.overload().empty()) hint = "its overload must be defined as well";
    Fail(fmt::format(
             "the model's functions of domain '{}' do not define '{}'{}",
             node_.domain(),
             node_.op_type(),
             node_.overload().empty() ? "" : fmt::format(" with overload '{}'", node_.overload())),
         hint);
  }

  // The number of operands without trailing omitted ones.
  static int Given(const google::protobuf::RepeatedPtrField<std::string>& names) {
    int count = names.size();
    while (count > 0 && names.Get(count - 1).empty()) --count;
    return count;
  }

  void CheckSchema(const onnx::OpSchema& schema) {
    if (schema.domain().empty())
      see_ = fmt::format("see https://onnx.ai/onnx/operators/onnx__{}.html, version {}",
                         schema.Name(),
                         schema.SinceVersion());
    CheckCount(Given(node_.input()), schema.min_input(), schema.max_input(), "input");
    CheckCount(Given(node_.output()), schema.min_output(), schema.max_output(), "output");
    const size_t given = static_cast<size_t>(Given(node_.input()));
    for (size_t i = 0; i < std::min(given, schema.inputs().size()); ++i)
      if (schema.inputs()[i].GetOption() == onnx::OpSchema::Single &&
          node_.input(static_cast<int>(i)).empty())
        Fail(fmt::format("input {} ({}) must not be left out", i, schema.inputs()[i].GetName()),
             see_);
    for (const auto& [name, expected] : schema.attributes()) CheckAttribute(name, expected);
  }

  void CheckAttribute(const std::string& name, const onnx::OpSchema::Attribute& expected) {
    const auto& all = node_.attribute();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const AttributeProto& given) { return given.name() == name; });
    if (found == all.end()) {
      if (expected.required)
        Fail(fmt::format("attribute '{}' of type {} is missing", name, TypeName(expected.type)),
             see_);
      return;
    }
    if (found->type() != static_cast<int>(expected.type) &&
        found->type() != AttributeProto::UNDEFINED)
      Fail(fmt::format("attribute '{}' must be of type {}, got {}",
                       name,
                       TypeName(expected.type),
                       TypeName(found->type())),
           see_);
  }

  const onnx::NodeProto& node_;
  const NodeRules& rules_;
  std::string see_;  // the specification
  std::vector<Error> problems_;
};

}  // namespace

std::string NodePlace(const onnx::NodeProto& node, int position) {
  if (!node.name().empty()) return fmt::format("node '{}' ({})", node.name(), node.op_type());
  return fmt::format("node {} ({})", position, node.op_type());
}

FunctionKey KeyOf(const onnx::NodeProto& call) {
  return {ShortDomain(call.domain()), call.op_type(), call.overload()};
}

FunctionKey KeyOf(const onnx::FunctionProto& function) {
  return {ShortDomain(function.domain()), function.name(), function.overload()};
}

FunctionMap FunctionsOf(const onnx::ModelProto& proto) {
  FunctionMap functions;
  for (const onnx::FunctionProto& function : proto.functions())
    functions.emplace(KeyOf(function), &function);
  return functions;
}

std::map<std::string, int64_t> OpsetsOf(
    const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports) {
  std::map<std::string, int64_t> opsets;
  for (const auto& import : imports) opsets.emplace(ShortDomain(import.domain()), import.version());
  opsets.emplace("", 1);
  return opsets;
}

std::vector<Error> CheckNode(const onnx::NodeProto& node, const NodeRules& rules) {
  return Checker(node, rules).Run();
}

std::vector<std::string> StrayAttributes(const onnx::NodeProto& node, const NodeRules& rules) {
  std::vector<std::string> stray;
  const onnx::OpSchema* schema = SchemaOf(node, rules);
  if (schema == nullptr || rules.functions->count(KeyOf(node)) > 0) return stray;
  for (const AttributeProto& attribute : node.attribute())
    if (schema->attributes().count(attribute.name()) == 0) stray.push_back(attribute.name());
  return stray;
}

}  // namespace metadist
