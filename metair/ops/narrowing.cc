// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/narrowing.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "metair/ops/call_check.h"

namespace metadist {

Result<Narrowing> Narrowing::Make(ElementType to, const Attributes& attributes) {
  Narrowing narrowing;
  const std::string mode = attributes.String("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest")
    return BadCall("round_mode must be \"up\", \"down\" or \"nearest\", got \"{}\"", mode);
  narrowing.power_ = mode == "up" ? Power::kUp : mode == "down" ? Power::kDown : Power::kNearest;
  narrowing.to_power_ = to == ElementType::kF8E8M0;
  narrowing.saturate_ = attributes.Int("saturate", 1) != 0;
  VisitElementType(to, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (kIsSmallFloat<T>) narrowing.largest_ = LargestOf(T::kForm);
  });
  return narrowing;
}

double Narrowing::operator()(double value) const {
  if (!Changes() || std::isnan(value)) return value;
  if (!to_power_) return saturate_ ? std::clamp(value, -largest_, largest_) : value;
  if (std::isinf(value) || value == 0) return value;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // in [0.5, 1)
  const double below = std::ldexp(1.0, exponent - 1);
  if (power_ == Power::kDown || fraction == 0.5) return below;
  if (power_ == Power::kNearest && fraction < 0.75) return below;
  return saturate_ ? std::min(2 * below, largest_) : 2 * below;
}

Tensor Narrowing::Of(const Tensor& x, ElementType made) const {
  if (!Changes()) return x.Cast(made);
  Tensor wide = x.Cast(ElementType::kF64).Clone();
  double* const y = wide.mutable_data<double>();
  std::transform(y, y + wide.size(), y, *this);
  return wide.Cast(made);
}

}  // namespace metadist
