// SPDX-License-Identifier: Apache-2.0
#include "executor/host/perturb.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "metair/ir/split_mix.h"

namespace metadist {
namespace {

template <typename T>
constexpr double kUnit = 0;  // distance from 1 to the next number; 0: never perturbed
template <>
constexpr double kUnit<double> = std::numeric_limits<double>::epsilon();
template <>
constexpr double kUnit<float> = std::numeric_limits<float>::epsilon();
template <>
constexpr double kUnit<Half> = 0x1p-10;
template <>
constexpr double kUnit<BFloat16> = 0x1p-7;

// -1, 0 or 1.
double Way(uint64_t seed, int64_t at) {
  const uint64_t bits = SplitMixBits(seed + (static_cast<uint64_t>(at) + 1) * kSplitMixStep);
  return static_cast<double>((bits >> 32) % 3) - 1;
}

}  // namespace

Tensor Perturbed(const Tensor& x, uint64_t seed, PerturbedNumbers which) {
  if (!x.has_data()) return x;
  return VisitElementType(x.element(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (kUnit<T> == 0) {
      return x;
    } else {
      Tensor moved = Tensor::Unset(x.type());
      const T* const from = x.data<T>();
      T* const to = moved.mutable_data<T>();
      for (int64_t i = 0; i < x.size(); ++i) {
        const double own = static_cast<double>(from[i]);
        const bool stays = which == PerturbedNumbers::kFractions && own == std::trunc(own);
        const double value = stays ? own : own * (1 + Way(seed, i) * kUnit<T>);
        if constexpr (std::is_same_v<T, double>)
          to[i] = value;
        else
          to[i] = T(static_cast<float>(value));
      }
      return moved;
    }
  });
}

}  // namespace metadist
