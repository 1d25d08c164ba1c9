// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/own_type.h"

#include <algorithm>
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
  if (type == x.element()) return x;
  if (type != ElementType::kF32) return x.Cast(type).Cast(x.element());
  Tensor rounded = Tensor::Zeros(x.type());  // nearly all models': in one go
  std::transform(
      x.data<double>(), x.data<double>() + x.size(), rounded.mutable_data<double>(), [](double v) {
        return static_cast<double>(static_cast<float>(v));
      });
  return rounded;
}

double EpsilonOf(ElementType type) { return std::ldexp(1.0, -FormOf(type).mantissa); }

bool IsNarrower(ElementType to, ElementType from) {
  const FloatForm a = FormOf(to);
  const FloatForm b = FormOf(from);
  return a.mantissa < b.mantissa || a.exponent < b.exponent;
}

}  // namespace metadist
