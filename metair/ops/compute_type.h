// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/element_type.h"

namespace metadist {

// Calls visitor(T()) with the storage type of a compute type: double, int64_t or bool.
template <typename Visitor>
auto VisitComputeType(ElementType type, Visitor&& visitor) {
  switch (ClassOf(type)) {
    case ElementClass::kFloat:
      return visitor(double());
    case ElementClass::kInt:
      return visitor(int64_t());
    case ElementClass::kBool:
      return visitor(bool());
  }
  CHECK(false, "unknown element class");
}

// The same for tensors that CallCheck has verified to hold numbers.
template <typename Visitor>
auto VisitNumberType(ElementType type, Visitor&& visitor) {
  return ClassOf(type) == ElementClass::kFloat ? visitor(double()) : visitor(int64_t());
}

}  // namespace metadist
