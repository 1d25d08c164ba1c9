// SPDX-License-Identifier: Apache-2.0
#include "planner/space/call_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>

#include "metair/ir/shape.h"
#include "metair/ops/drawing.h"

namespace metadist {
namespace {

struct AttributeInCall {
  std::string operator()(const Tensor& value) const { return TypeText(value.type()); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  template <typename T>
  std::string operator()(const std::vector<T>& values) const {
    return fmt::format("[{}]", fmt::join(values, ","));
  }
};

}  // namespace

std::string CallText(const OpCall& call) {
  std::string text = call.op->domain.empty() ? std::string(call.op->name)
                                             : fmt::format("{}.{}", call.op->domain, call.op->name);
  if (call.attributes != nullptr && !call.attributes->empty()) {
    std::string inner;
    for (const auto& [name, value] : call.attributes->all())
      inner += fmt::format(
          "{}{}={}", inner.empty() ? "" : ", ", name, std::visit(AttributeInCall{}, value));
    text += " {" + inner + "}";
  }
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const OpCall::Input& input = call.inputs[i];
    text += i == 0 ? " " : ", ";
    if (!input.present) {
      text += "-";
      continue;
    }
    text += TypeText(input.type);
    const bool shown = input.constant != nullptr && input.constant->has_data() &&
                       ClassOf(input.type.element) == ElementClass::kInt &&
                       NumElements(input.type.shape) <= kShownElements &&
                       (call.op->deterministic || i != kKeyInput);
    if (shown) text += fmt::format("={}", AttributeInCall{}(input.constant->ToInts()));
  }
  return text;
}

}  // namespace metadist
