// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/symbolic.h"

namespace metadist {

int64_t Product::At(std::span<const int64_t> sizes) const {
  int64_t value = constant;
  for (const int atom : atoms) value *= sizes[static_cast<size_t>(atom)];
  return value;
}

int64_t SymbolicSize::At(std::span<const int64_t> sizes) const {
  int64_t value = 0;
  for (const Product& term : terms) value += term.At(sizes);
  return value;
}

}  // namespace metadist
