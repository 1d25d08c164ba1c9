// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "metair/ops/op_def.h"

namespace metadist {

// kBadInput for a call, with a message formatted from its parts. The operator becomes the location
// when the error leaves it.
template <typename... Args>
Error BadCall(fmt::format_string<Args...> message, Args&&... args) {
  return BadInput("", fmt::format(message, std::forward<Args>(args)...));
}

// Collects problems with the arity and the types of a call, so that all are reported at once:
// TRY(CallCheck(call).Inputs(2).Floats(0).SameElement(0, 1).Done()).
class CallCheck {
 public:
  static constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

  explicit CallCheck(const OpCall& call) : call_(call) {}

  // Between `least` and `most` inputs, the first `least` of which are present.
  CallCheck& Inputs(size_t least, size_t most);
  CallCheck& Inputs(size_t exactly) { return Inputs(exactly, exactly); }
  // Element class of an input; an omitted input passes.
  CallCheck& Floats(size_t input) { return Classes(input, {ElementClass::kFloat}); }
  CallCheck& Integers(size_t input) { return Classes(input, {ElementClass::kInt}); }
  CallCheck& Bools(size_t input) { return Classes(input, {ElementClass::kBool}); }
  CallCheck& Numbers(size_t input) {
    return Classes(input, {ElementClass::kFloat, ElementClass::kInt});
  }
  // Both inputs have the same element type; an omitted input passes.
  CallCheck& SameElement(size_t a, size_t b);
  // An input has between `least` and `most` dims; an omitted input passes.
  CallCheck& Rank(size_t input, int64_t least, int64_t most);
  CallCheck& RankAtLeast(size_t input, int64_t least);
  // Any other condition, with the message if it fails: one that holds formats nothing, but its
  // parts are evaluated.
  template <typename... Args>
  CallCheck& That(bool holds, fmt::format_string<Args...> message, Args&&... args) {
    if (!holds) problems_.push_back(BadCall(message, std::forward<Args>(args)...));
    return *this;
  }

  // The problems found, or success.
  Result<void> Done();

 private:
  CallCheck& Classes(size_t input, std::initializer_list<ElementClass> allowed);

  const OpCall& call_;
  std::vector<Error> problems_;
};

}  // namespace metadist
