// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/optimizer_arrays.h"

#include "metair/ops/call_check.h"

namespace metadist {

Result<std::vector<TensorType>> InferOptimizer(const OpCall& call, size_t states) {
  CallCheck check(call);
  check.Inputs(states + 4, CallCheck::kAnyNumber);
  check.That(call.inputs.size() >= 2 && (call.inputs.size() - 2) % (states + 2) == 0,
             "expected {} arrays for each one that is updated",
             states + 2);
  TRY(check.Done());
  const size_t arrays = (call.inputs.size() - 2) / (states + 2);
  check.Floats(0).Integers(1);
  for (const size_t i : {size_t{0}, size_t{1}})
    check.That(NumElements(call.shape(i)) == 1, "input {} must be one number", i);
  for (size_t i = 2; i < call.inputs.size(); ++i)
    check.That(call.has(i), "input {} is missing", i).Floats(i);
  check.That(call.num_outputs == static_cast<int>(arrays * (states + 1)),
             "expected {} outputs, got {}",
             arrays * (states + 1),
             call.num_outputs);
  TRY(check.Done());
  for (size_t i = 2 + arrays; i < call.inputs.size(); ++i) {
    const size_t x = 2 + (i - 2) % arrays;
    check.That(call.type(i) == call.type(x), "inputs {} and {} must have one type", x, i);
  }
  TRY(check.Done());
  std::vector<TensorType> types;
  for (size_t s = 0; s <= states; ++s)
    for (size_t a = 0; a < arrays; ++a) types.push_back(call.type(2 + a));
  return types;
}

}  // namespace metadist
