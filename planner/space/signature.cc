// SPDX-License-Identifier: Apache-2.0
#include "planner/space/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <type_traits>

#include "metair/ops/drawing.h"

namespace metadist {
namespace {

// Larger constants are data and do not decide shapes.
constexpr int64_t kLiteralElements = 64;

std::string TensorText(const Tensor& tensor) {
  std::string out = TypeText(tensor.type());
  if (tensor.has_data() && tensor.size() <= kLiteralElements)
    out += std::string_view(reinterpret_cast<const char*>(tensor.bytes()),
                            static_cast<size_t>(tensor.type().bytes()));
  return out;
}

std::string AttributeText(const Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Tensor>)
          return TensorText(value);
        else
          return fmt::format("{}", value);
      },
      attribute);
}

}  // namespace

std::string SignatureOf(const Graph& graph, const Node& node, const OpDef* op) {
  std::string out = fmt::format("{}.{}", node.domain, node.op);
  for (const auto& [name, value] : node.attributes.all())
    out += fmt::format(" {}={}", name, AttributeText(value));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    if (id == kNone) {
      out += " _";
      continue;
    }
    const Value& value = graph.value(id);
    const bool key = op != nullptr && !op->deterministic && i == kKeyInput;
    out += value.kind == ValueKind::kConstant && !key ? " c" + TensorText(value.data)
                                                      : " " + TypeText(value.type);
  }
  out += " ->";
  for (ValueId id : node.outputs) out += id == kNone ? " _" : " " + TypeText(graph.value(id).type);
  out += fmt::format(" regions={}", node.regions.size());
  return out;
}

}  // namespace metadist
