// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "executor/cpu/half_floats.h"
#include "executor/cpu/makers.h"
#include "executor/cpu/nest_range.h"

namespace metadist::cpu {
namespace {

// Like Tensor::Cast: floats truncate and saturate at i64, NaN gives 0, narrower integers wrap.
template <typename To, typename From>
To Convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    const double x = value;
    if (std::isnan(x)) return To(0);
    if (x >= 0x1p63) return static_cast<To>(std::numeric_limits<int64_t>::max());
    if (x < -0x1p63) return static_cast<To>(std::numeric_limits<int64_t>::min());
    return static_cast<To>(static_cast<int64_t>(x));
  } else {
    return static_cast<To>(value);
  }
}

// Converts `count` elements from one type to another.
using Loop = void (*)(const std::byte* from, std::byte* to, int64_t count);

template <typename From, typename To>
void ConvertAll(const std::byte* from, std::byte* to, int64_t count) {
  const From* x = reinterpret_cast<const From*>(from);
  To* y = reinterpret_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) y[i] = Convert<To>(x[i]);
}

template <typename T>
constexpr bool kConverts =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int8_t> ||
    std::is_same_v<T, uint8_t> || std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> ||
    std::is_same_v<T, bool>;

// nullptr if one of the types is not supported.
Loop LoopOf(ElementType from, ElementType to) {
  return VisitElementType(from, [&](auto x) {
    return VisitElementType(to, [](auto y) -> Loop {
      if constexpr (kConverts<decltype(x)> && kConverts<decltype(y)>)
        return ConvertAll<decltype(x), decltype(y)>;
      return nullptr;
    });
  });
}

// Converts from or to f16 or bf16, a few floats at a time.
void ConvertHalves(
    ElementType from, ElementType to, const std::byte* in, std::byte* out, int64_t count) {
  constexpr int64_t kFew = 256;
  float wide[kFew];
  auto* const floats = reinterpret_cast<std::byte*>(wide);
  for (int64_t i = 0; i < count; i += kFew) {
    const int64_t some = std::min(kFew, count - i);
    const std::byte* const x = in + i * ByteSize(from);
    std::byte* const y = out + i * ByteSize(to);
    if (IsHalf(from))
      WidenHalves(from, x, wide, some);
    else
      LoopOf(from, ElementType::kF32)(x, floats, some);
    if (IsHalf(to))
      NarrowToHalves(to, wide, y, some);
    else
      LoopOf(ElementType::kF32, to)(floats, y, some);
  }
}

}  // namespace

Prepared Cast(const KernelSite& site) {
  const int64_t count = NumElements(site.out().shape);
  const ElementType from = site.element(0);
  const ElementType to = site.out().element;
  const auto known = [](ElementType type) {
    return IsHalf(type) || LoopOf(type, ElementType::kF32) != nullptr;
  };
  if (!known(from) || !known(to)) return Decline("no loop for these element types");
  const Loop loop = IsHalf(from) || IsHalf(to) ? nullptr : LoopOf(from, to);
  const auto convert = [=](const std::byte* x, std::byte* y, int64_t some, const KernelArgs&) {
    if (loop != nullptr)
      loop(x, y, some);
    else
      ConvertHalves(from, to, x, y, some);
  };
  return Accept("loop", RangeOfMap<std::byte, std::byte>(count, convert));
}

}  // namespace metadist::cpu
