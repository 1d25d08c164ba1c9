// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/call_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace metadist {
namespace {

std::string_view ClassName(ElementClass element_class) {
  switch (element_class) {
    case ElementClass::kFloat:
      return "floats";
    case ElementClass::kInt:
      return "integers";
    case ElementClass::kBool:
      return "bools";
  }
  CHECK(false, "unknown element class");
}

std::string CountText(size_t least, size_t most) {
  if (least == most) return fmt::format("{} input{}", least, least == 1 ? "" : "s");
  if (most == CallCheck::kAnyNumber)
    return fmt::format("at least {} input{}", least, least == 1 ? "" : "s");
  return fmt::format("{} to {} inputs", least, most);
}

}  // namespace

// Inference runs thousands of times in a discovery: no part of a message is made before a condition
// fails.
CallCheck& CallCheck::Inputs(size_t least, size_t most) {
  const size_t count = call_.inputs.size();
  if (count < least || count > most)
    That(false, "expected {}, got {}", CountText(least, most), count);
  for (size_t i = 0; i < std::min(least, count); ++i)
    if (!call_.has(i)) That(false, "input {} is missing", i);
  return *this;
}

CallCheck& CallCheck::Classes(size_t input, std::initializer_list<ElementClass> allowed) {
  if (!call_.has(input)) return *this;
  const ElementType element = call_.type(input).element;
  if (std::find(allowed.begin(), allowed.end(), ClassOf(element)) != allowed.end()) return *this;
  std::vector<std::string_view> names;
  for (ElementClass element_class : allowed) names.push_back(ClassName(element_class));
  return That(
      false, "input {} must hold {}, got {}", input, fmt::join(names, " or "), Name(element));
}

CallCheck& CallCheck::SameElement(size_t a, size_t b) {
  if (!call_.has(a) || !call_.has(b)) return *this;
  if (call_.type(a).element == call_.type(b).element) return *this;
  return That(false,
              "inputs {} and {} must have one element type, got {} and {}",
              a,
              b,
              Name(call_.type(a).element),
              Name(call_.type(b).element));
}

CallCheck& CallCheck::Rank(size_t input, int64_t least, int64_t most) {
  if (!call_.has(input) || (call_.rank(input) >= least && call_.rank(input) <= most)) return *this;
  const std::string range =
      least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  return That(
      false, "input {} must have {} dims, got {}", input, range, ShapeText(call_.shape(input)));
}

CallCheck& CallCheck::RankAtLeast(size_t input, int64_t least) {
  if (!call_.has(input) || call_.rank(input) >= least) return *this;
  return That(false,
              "input {} must have at least {} dim{}, got {}",
              input,
              least,
              least == 1 ? "" : "s",
              ShapeText(call_.shape(input)));
}

Result<void> CallCheck::Done() {
  if (problems_.empty()) return {};
  return Join(std::move(problems_));
}

}  // namespace metadist
