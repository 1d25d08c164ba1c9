// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/held_call.h"

#include <algorithm>
#include <string>

namespace metadist {
namespace {

constexpr char kHeldInputs[] = "held_inputs";
constexpr char kOutputs[] = "held_outputs";

using Types = std::vector<std::optional<ElementType>>;

Types Read(const Attributes& attributes, const char* name) {
  Types out;
  for (const std::string& type : attributes.Strings(name)) out.push_back(ParseElementType(type));
  return out;
}

bool Any(const Types& types) {
  return std::any_of(types.begin(), types.end(), [](const auto& type) { return type.has_value(); });
}

void Write(const Types& types, const char* name, Attributes& attributes) {
  attributes.erase(name);
  if (!Any(types)) return;
  std::vector<std::string> names;
  for (const auto& type : types) names.emplace_back(type ? Name(*type) : "");
  attributes.set(name, std::move(names));
}

}  // namespace

bool HeldOperands::any() const { return Any(inputs) || Any(outputs); }

HeldOperands HeldOf(const Attributes& attributes) {
  return {Read(attributes, kHeldInputs), Read(attributes, kOutputs)};
}

void SetHeld(const HeldOperands& held, Attributes& attributes) {
  Write(held.inputs, kHeldInputs, attributes);
  Write(held.outputs, kOutputs, attributes);
}

bool HoldsF32(const Attributes& attributes) {
  return attributes.has(kHeldInputs) || attributes.has(kOutputs);
}

}  // namespace metadist
