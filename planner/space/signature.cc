// SPDX-License-Identifier: Apache-2.0
#include "planner/space/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <vector>

#include "metair/ops/drawing.h"
#include "planner/rules/probe/black_box.h"

namespace metadist {
namespace {

// Larger constants are data, unless inference needs them.
constexpr int64_t kLiteralElements = 64;

bool IsLarge(const Tensor& tensor) { return tensor.size() > kLiteralElements; }

std::string TensorText(const Tensor& tensor, bool elements) {
  std::string out = TypeText(tensor.type());
  if (tensor.has_data() && elements)
    out += std::string_view(reinterpret_cast<const char*>(tensor.bytes()),
                            static_cast<size_t>(tensor.type().bytes()));
  return out;
}

std::string AttributeText(const Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Tensor>)
          return TensorText(value, /*elements=*/true);
        else
          return fmt::format("{}", value);
      },
      attribute);
}

// By input: whether it is a large constant that decides what strategies there are.
std::vector<char> LargeLiterals(const Graph& graph, const Node& node, const OpDef* op) {
  std::vector<char> decides(node.inputs.size());
  const auto is_large = [&](ValueId id) {
    return id != kNone && graph.value(id).kind == ValueKind::kConstant &&
           IsLarge(graph.value(id).data);
  };
  if (op == nullptr || !node.regions.empty() || std::ranges::none_of(node.inputs, is_large))
    return decides;
  const BlackBox seen(CallOf(*op, graph, node));
  for (size_t i = 0; i < decides.size(); ++i)
    decides[i] = is_large(node.inputs[i]) && !seen.is_tensor(i);
  return decides;
}

}  // namespace

std::string SignatureOf(const Graph& graph, const Node& node, const OpDef* op) {
  std::string out = fmt::format("{}.{}", node.domain, node.op);
  for (const auto& [name, value] : node.attributes.all())
    out += fmt::format(" {}={}", name, AttributeText(value));
  const std::vector<char> decides = LargeLiterals(graph, node, op);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    if (id == kNone) {
      out += " _";
      continue;
    }
    const Value& value = graph.value(id);
    const bool key = op != nullptr && !op->deterministic && i == kKeyInput;
    out += value.kind == ValueKind::kConstant && !key
               ? " c" + TensorText(value.data, !IsLarge(value.data) || decides[i] != 0)
               : " " + TypeText(value.type);
  }
  out += " ->";
  for (ValueId id : node.outputs) out += id == kNone ? " _" : " " + TypeText(graph.value(id).type);
  out += fmt::format(" regions={}", node.regions.size());
  return out;
}

}  // namespace metadist
