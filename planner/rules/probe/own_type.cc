// SPDX-License-Identifier: Apache-2.0
#include "planner/rules/probe/own_type.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace metadist {
namespace {

struct FloatForm {
  int mantissa = 52;  // stored bits
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
    case ElementType::kF8E4M3FN:
    case ElementType::kF8E4M3FNUZ:
      return {3, 4};
    case ElementType::kF8E5M2:
    case ElementType::kF8E5M2FNUZ:
      return {2, 5};
    case ElementType::kF8E8M0:
      return {0, 8};
    case ElementType::kF4E2M1:
      return {1, 2};
    default:
      return {};
  }
}

// The float with the last `count` bits rounded to nearest even.
float WithoutLast(float x, int count) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t unit = uint32_t{1} << count;
  return std::bit_cast<float>((bits + unit / 2 - 1 + (bits >> count & 1)) & ~(unit - 1));
}

float AsF16(float x) {
  constexpr float kLeastNormal = 0x1p-14F;
  constexpr float kSubnormalsPerUnit = 0x1p24F;
  constexpr float kLeastInfinite = 65520;  // half a step above the largest number
  if (std::isnan(x)) return x;
  const float size = std::abs(x);
  if (size >= kLeastInfinite) return std::copysign(std::numeric_limits<float>::infinity(), x);
  if (size >= kLeastNormal) return WithoutLast(x, 13);
  return std::copysign(std::nearbyint(size * kSubnormalsPerUnit) / kSubnormalsPerUnit, x);
}

float AsBF16(float x) { return std::isnan(x) ? x : WithoutLast(x, 16); }

template <float (*kRound)(float)>
Tensor RoundedBy(const Tensor& x) {
  Tensor rounded = Tensor::Unset(x.type());
  const double* from = x.data<double>();
  double* to = rounded.mutable_data<double>();
  const int64_t count = x.size();
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<double>(kRound(static_cast<float>(from[i])));
  return rounded;
}

float AsF32(float x) { return x; }

}  // namespace

// One pass for the types of nearly all models.
Tensor Rounded(const Tensor& x, ElementType type) {
  if (type == x.element()) return x;
  if (x.element() != ElementType::kF64) return x.Cast(type).Cast(x.element());
  switch (type) {
    case ElementType::kF32:
      return RoundedBy<AsF32>(x);
    case ElementType::kF16:
      return RoundedBy<AsF16>(x);
    case ElementType::kBF16:
      return RoundedBy<AsBF16>(x);
    default:
      return x.Cast(type).Cast(x.element());
  }
}

double EpsilonOf(ElementType type) { return std::ldexp(1.0, -FormOf(type).mantissa); }

bool IsShortRanged(ElementType type) { return FormOf(type).exponent <= 5; }

double LowestOf(ElementType type) {
  return VisitElementType(type, [&](auto zero) -> double {
    using T = decltype(zero);
    if constexpr (kIsSmallFloat<T>)
      return T::kForm == SmallFloatForm::kE8M0 ? 0x1p-127 : -LargestOf(T::kForm);
    return type == ElementType::kF64   ? -std::numeric_limits<double>::max()
           : type == ElementType::kF16 ? -65504.0
                                       : -3e38;
  });
}

bool IsNarrower(ElementType to, ElementType from) {
  const FloatForm a = FormOf(to);
  const FloatForm b = FormOf(from);
  return a.mantissa < b.mantissa || a.exponent < b.exponent;
}

}  // namespace metadist
