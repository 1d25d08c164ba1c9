// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/own_type.h"

#include <cmath>

namespace metadist {
namespace {

struct FloatForm {
  int mantissa = 52;  // bits that are stored
  int exponent = 11;
};

FloatForm FormOf(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return {23, 8};
    case ElementType::kF16:
      return {10, 5};
    case ElementType::kBF16:
      return {7, 8};
    default:
      return {};
  }
}

}  // namespace

Tensor Rounded(const Tensor& x, ElementType type) {
  return type == x.element() ? x : x.Cast(type).Cast(x.element());
}

double EpsilonOf(ElementType type) { return std::ldexp(1.0, -FormOf(type).mantissa); }

bool IsNarrower(ElementType to, ElementType from) {
  const FloatForm a = FormOf(to);
  const FloatForm b = FormOf(from);
  return a.mantissa < b.mantissa || a.exponent < b.exponent;
}

}  // namespace metadist
