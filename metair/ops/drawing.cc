// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/drawing.h"

#include <bit>

#include "metair/ops/call_check.h"
#include "metair/ops/onnx_types.h"

namespace metadist {
void CheckDrawing(const OpCall& call, size_t own, size_t rank, CallCheck& check) {
  for (size_t i = own; i < kKeyInput; ++i) check.That(!call.has(i), "there is no input {}", i);
  check.Integers(kKeyInput);
  check.That(!call.has(kKeyInput) || call.shape(kKeyInput) == Shape{2},
             "input {} must hold the two integers of a key",
             kKeyInput);
  const size_t starts = call.attributes->Ints("start").size();
  check.That(starts == 0 || starts == rank, "start must have {} entries, got {}", rank, starts);
}

// Seeds are floats for some operators and integers for others.
PhiloxKey KeyOfSeed(const Attributes& attributes) {
  const auto integer = static_cast<uint64_t>(attributes.Int("seed", 0));
  return KeyOfSeed(integer ^ std::bit_cast<uint64_t>(attributes.Float("seed", 0)));
}

bool Draws(const OpCall& call) {
  if (call.op->deterministic) return false;
  OpCall keyed = call;
  if (keyed.inputs.size() <= kKeyInput) keyed.inputs.resize(kKeyInput + 1);
  keyed.inputs[kKeyInput] = {true, {ElementType::kI64, {2}}, nullptr};
  return keyed.op->infer(keyed).ok();
}

Result<ElementType> DrawnType(const OpCall& call, ElementType absent) {
  if (!call.attributes->has("dtype")) return absent;
  const int64_t number = call.attributes->Int("dtype", 0);
  const std::optional<ElementType> element = ElementTypeOfOnnx(number);
  if (!element.has_value()) return BadCall("unknown element type {}", number);
  return *element;
}

Result<ElementType> DrawnFloat(const OpCall& call, ElementType absent) {
  const ElementType element = TRY(DrawnType(call, absent));
  if (ClassOf(element) != ElementClass::kFloat)
    return BadCall("floats are drawn, got dtype {}", Name(element));
  return element;
}

std::vector<int64_t> KeyOfNode(const Attributes& attributes, const std::string& name) {
  const PhiloxKey key = attributes.has("seed") ? KeyOfSeed(attributes) : KeyOfName(name);
  return {key.low, key.high};
}

}  // namespace metadist
