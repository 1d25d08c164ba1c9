// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "metair/ir/text.h"
#include "metair/ir/text_token.h"

namespace metadist {
namespace {

// Shortest text that reads back as the same number, always with a point, an exponent or a word, so
// that it is not read as an integer.
template <typename T>
std::string FloatText(T value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string ScalarText(int64_t value) { return fmt::format("{}", value); }
std::string ScalarText(double value) {
  const float narrow = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(narrow) == value) return FloatText(narrow);
  return FloatText(value) + "d";
}
std::string ScalarText(const std::string& value) { return QuotedText(value); }

template <typename T>
std::string ListText(const std::vector<T>& values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "" : ", ") + ScalarText(values[i]);
  return out + "]";
}

std::string ElementsText(const Tensor& tensor, int64_t most = kInlineElements) {
  if (!tensor.has_data() || tensor.size() > most) return "...";
  std::string out = "[";
  VisitElementType(tensor.element(), [&](auto zero) {
    using T = decltype(zero);
    const T* data = tensor.data<T>();
    for (int64_t i = 0; i < tensor.size(); ++i) {
      if (i > 0) out += ", ";
      if constexpr (std::is_same_v<T, bool>)
        out += data[i] ? "true" : "false";
      else if constexpr (std::is_integral_v<T>)
        out += fmt::format("{}", +data[i]);
      else if constexpr (kIsSmallInt<T>)
        out += fmt::format("{}", static_cast<int64_t>(data[i]));
      else if constexpr (std::is_same_v<T, double>)
        out += FloatText(data[i]);
      else
        out += FloatText(static_cast<float>(data[i]));
    }
  });
  return out + "]";
}

struct AttributeText {
  std::string operator()(const Tensor& value) const {
    return fmt::format("tensor {} = {}", TypeText(value.type()), ElementsText(value));
  }
  std::string operator()(const std::vector<double>& value) const {
    return value.empty() ? "floats []" : ListText(value);
  }
  std::string operator()(const std::vector<std::string>& value) const {
    return value.empty() ? "strings []" : ListText(value);
  }
  std::string operator()(const std::vector<int64_t>& value) const { return ListText(value); }
  template <typename T>
  std::string operator()(const T& value) const {
    return ScalarText(value);
  }
};

std::string OperatorText(const Node& node) {
  if (node.domain.empty() && node.op.find('.') == std::string::npos) return NameText(node.op);
  if (node.op.find('.') == std::string::npos && IsPlainName(node.domain) && IsPlainName(node.op))
    return node.domain + "." + node.op;
  return QuotedText(node.domain) + "." + QuotedText(node.op);
}

std::string AttributesText(const Attributes& attributes) {
  std::string out;
  for (const auto& [name, value] : attributes.all())
    out += fmt::format(
        "{}{} = {}", out.empty() ? " {" : ", ", NameText(name), std::visit(AttributeText(), value));
  return out.empty() ? out : out + "}";
}

std::string ReferenceText(const Graph& graph, ValueId id) {
  return id == kNone ? "_" : "%" + NameText(graph.value(id).name);
}

std::string DeclarationText(const Graph& graph, ValueId id) {
  if (id == kNone) return "_";
  return ReferenceText(graph, id) + ": " + TypeText(graph.value(id).type);
}

std::string ReferencesText(const Graph& graph, const std::vector<ValueId>& ids) {
  std::string out;
  for (size_t i = 0; i < ids.size(); ++i)
    out += (i == 0 ? "" : ", ") + ReferenceText(graph, ids[i]);
  return out;
}

std::string CallText(const Graph& graph, const Node& node) {
  std::string out;
  for (size_t i = 0; i < node.outputs.size(); ++i)
    out += (i == 0 ? "" : ", ") + DeclarationText(graph, node.outputs[i]);
  return out + fmt::format(" = {}({}){}",
                           OperatorText(node),
                           ReferencesText(graph, node.inputs),
                           AttributesText(node.attributes));
}

// whole: names in this graph, not in bodies of its nodes.
void Print(const Graph& graph,
           const std::set<std::string>& whole,
           const std::string& indent,
           std::string& out) {
  out += fmt::format("graph {} opset {} {{\n", NameText(graph.name), graph.opset);
  const std::string inner = indent + "  ";
  const auto line = [&](std::string_view text) { out += fmt::format("{}{}\n", inner, text); };
  for (ValueId id : graph.inputs) line("input " + DeclarationText(graph, id));
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    const std::string declaration = DeclarationText(graph, static_cast<ValueId>(v));
    if (value.kind == ValueKind::kParameter) line("parameter " + declaration + " = ...");
    if (value.kind != ValueKind::kConstant) continue;
    const bool all = whole.count(value.name) > 0;
    line("constant " + declaration + " = " +
         ElementsText(value.data, all ? value.data.size() : kInlineElements));
  }
  for (const Node& node : graph.nodes) {
    out += inner + CallText(graph, node);
    for (const Region& region : node.regions) {
      out += fmt::format(" {}({}) ", NameText(region.name), ReferencesText(graph, region.captures));
      Print(*region.graph, {}, inner, out);
    }
    out += fmt::format(" @{}\n", NameText(node.name));
  }
  for (ValueId id : graph.outputs) line("output " + ReferenceText(graph, id));
  for (const StatePair& pair : graph.state)
    line(fmt::format("{} {} -> {}",
                     pair.sums ? "sum" : "state",
                     ReferenceText(graph, pair.input),
                     ReferenceText(graph, pair.output)));
  if (graph.micro_batches != 1) line(fmt::format("micro_batches {}", graph.micro_batches));
  out += indent + "}";
}

}  // namespace

std::string GraphText(const Graph& graph, const std::set<std::string>& whole) {
  std::string out;
  Print(graph, whole, "", out);
  return out + "\n";
}

std::string NodeText(const Graph& graph, const Node& node) {
  return fmt::format("{} @{}", CallText(graph, node), NameText(node.name));
}

}  // namespace metadist
