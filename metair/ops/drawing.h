// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metair/ops/call_check.h"
#include "metair/ops/counter_random.h"
#include "metair/ops/op_def.h"

// What operators that draw random numbers (OpDef::deterministic) share. Their calls may hold two
// things that ONNX's do not: input kKeyInput, the two integers of a key, and attribute `start`, the
// place of the first element in the whole array, by dim. Without them the key is that of attribute
// `seed` (none: 0), the start 0.
namespace metadist {

// Behind all that ONNX gives to any of them; inputs between are left out.
inline constexpr size_t kKeyInput = 3;

// Whether the call draws: it is one that takes a key. False for a call that inference refuses.
bool Draws(const OpCall& call);

// Adds what is wrong with the key and the start of a call that draws an array of `rank` dims, and
// with inputs that the operator does not take: from `own` to the key.
void CheckDrawing(const OpCall& call, size_t own, size_t rank, CallCheck& check);

// The key without the input that holds one.
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

// The element type of attribute dtype, `absent` without it. Errors: kBadInput.
Result<ElementType> DrawnType(const OpCall& call, ElementType absent);
// The same, of floats.
Result<ElementType> DrawnFloat(const OpCall& call, ElementType absent);

// The key of a call in a graph: of its seed, or else of its node's name.
std::vector<int64_t> KeyOfNode(const Attributes& attributes, const std::string& name);

}  // namespace metadist
