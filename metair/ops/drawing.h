// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metair/ops/call_check.h"
#include "metair/ops/counter_random.h"
#include "metair/ops/op_def.h"

// Shared by operators that draw random numbers (OpDef::deterministic). Their calls may have two
// arguments that ONNX does not define: input kKeyInput, the two integers of a key, and attribute
// `start`, the position of the first element in the whole array, by dim. By default the key is
// derived from attribute `seed` (default 0), and the start is 0.
namespace metadist {

// After all inputs that ONNX defines for any of them; inputs in between are omitted.
inline constexpr size_t kKeyInput = 3;

// Whether the call draws random numbers: whether it accepts a key. False for a call that inference
// rejects.
bool Draws(const OpCall& call);

// Adds problems with the key and the start of a call that draws an array of `rank` dims, and with
// inputs from `own` up to the key, which the operator does not have.
void CheckDrawing(const OpCall& call, size_t own, size_t rank, CallCheck& check);

// The key of a call without key input.
PhiloxKey KeyOfSeed(const Attributes& attributes);

// y[i] = f(i, bits of element i) for an array of this shape. inputs: in compute types.
template <typename T, typename F>
void MapRandom(const OpCall& call, std::span<const Tensor> inputs, const Shape& shape, T* y, F f) {
  PhiloxKey key = KeyOfSeed(*call.attributes);
  if (call.has(kKeyInput)) key = KeyOfWords(inputs[kKeyInput].data<int64_t>());
  const CounterRandom random(shape, call.attributes->Ints("start"));
  std::vector<uint64_t> bits(static_cast<size_t>(random.length()));
  int64_t i = 0;
  for (int64_t line = 0; line < random.lines(); ++line) {
    random.Fill(key, line, bits.data());
    for (const uint64_t one : bits) {
      y[i] = f(i, one);
      ++i;
    }
  }
}

// The element type in attribute dtype; `absent` without it. Errors: kBadInput.
Result<ElementType> DrawnType(const OpCall& call, ElementType absent);
// The same; only floats are accepted.
Result<ElementType> DrawnFloat(const OpCall& call, ElementType absent);

// The key of a call in a graph: from its seed, else from its node's name.
std::vector<int64_t> KeyOfNode(const Attributes& attributes, const std::string& name);

}  // namespace metadist
