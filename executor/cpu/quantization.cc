// SPDX-License-Identifier: Apache-2.0
// Quantizes floats to integers, and converts integers and narrow floats to floats, with one scale
// for all elements, for each index along an axis, or for each block along it. Values are clamped
// beyond the result range, then rounded by adding a number so large that its last bit has the value
// 1.
#include "metair/ops/quantization.h"

#include <algorithm>
#include <limits>

#include "executor/cpu/makers.h"
#include "metair/ops/lines.h"

namespace metadist::cpu {
namespace {

// Elements [outer, axis, inner]. Elements with the same index along the axis share a scale; or, if
// `block` is not 0, elements of the same block along the axis with equal other indices.
struct Lines {
  int64_t outer = 1, axis = 1, inner = 1;
  int64_t block = 0;
  bool shifted = false;  // has a zero point
};

// x / scale rounded to the nearest integer, ties to even; NaN gives zero.
inline float Rounded(float x, float scale) {
  constexpr float kBeyond = 1 << 20;
  constexpr float kLastBit = 12582912.0f;  // 1.5 * 2^23
  const float quotient = x / scale;
  const float low = quotient < -kBeyond ? -kBeyond : quotient;
  const float cut = low > kBeyond ? kBeyond : low;
  const float whole = (cut + kLastBit) - kLastBit;
  return quotient == quotient ? whole : 0.0f;
}

template <typename T>
constexpr bool kShortInteger = std::is_integral_v<T> && sizeof(T) <= 2 && !std::is_same_v<T, bool>;

template <typename T>
struct ToIntegers {
  static constexpr bool kKnown = kShortInteger<T>;
  using From = float;
  using To = T;
  static T Convert(float x, float scale, T zero) {
    constexpr float kLow = std::numeric_limits<T>::min();
    constexpr float kHigh = std::numeric_limits<T>::max();
    const float value = Rounded(x, scale) + static_cast<float>(zero);
    const float low = value < kLow ? kLow : value;
    return static_cast<T>(static_cast<int32_t>(low > kHigh ? kHigh : low));
  }
};

template <typename T>
int32_t Number(T x) {
  if constexpr (kIsSmallInt<T>)
    return static_cast<int32_t>(static_cast<int64_t>(x));
  else
    return x;
}

template <typename T>
struct FromIntegers {
  static constexpr bool kKnown = kShortInteger<T> || kIsSmallInt<T> || kIsSmallFloat<T>;
  using From = T;
  using To = float;
  static float Convert(T x, float scale, T zero) {
    if constexpr (kIsSmallFloat<T>)
      return static_cast<float>(x) * scale;
    else
      return static_cast<float>(Number(x) - Number(zero)) * scale;
  }
};

// Converts consecutive elements with one scale, or one each. The zero point has the integers' type.
template <typename Conversion, typename Integer>
class Converter {
 public:
  explicit Converter(const KernelArgs& args, bool shifted)
      : x_(args.in<From>(0)),
        scale_(args.in(1)),
        zero_(shifted ? args.in<Integer>(2) : nullptr),
        y_(args.out<To>()) {}

  void OneScale(int64_t at, int64_t count, int64_t scale) const {
    const float times = scale_[scale];
    const Integer shift = zero_ == nullptr ? Integer(0) : zero_[scale];
    for (int64_t i = 0; i < count; ++i) y_[at + i] = Conversion::Convert(x_[at + i], times, shift);
  }
  void OneEach(int64_t at, int64_t count, int64_t scale) const {
    if (zero_ == nullptr) {
      for (int64_t i = 0; i < count; ++i)
        y_[at + i] = Conversion::Convert(x_[at + i], scale_[scale + i], Integer(0));
    } else {
      for (int64_t i = 0; i < count; ++i)
        y_[at + i] = Conversion::Convert(x_[at + i], scale_[scale + i], zero_[scale + i]);
    }
  }

 private:
  using From = typename Conversion::From;
  using To = typename Conversion::To;
  const From* x_;
  const float* scale_;
  const Integer* zero_;
  To* y_;
};

template <typename Conversion, typename Integer>
Prepared Bind(const Lines& lines) {
  if (lines.block > 0)
    return Accept("blocks", [lines](const KernelArgs& args) {
      const Converter<Conversion, Integer> convert(args, lines.shifted);
      int64_t scale = 0;
      for (int64_t outer = 0, at = 0; outer < lines.outer; ++outer)
        for (int64_t begin = 0; begin < lines.axis; begin += lines.block, scale += lines.inner) {
          const int64_t rows = std::min(lines.block, lines.axis - begin);
          if (lines.inner == 1)
            convert.OneScale(at, rows, scale);
          else
            for (int64_t row = 0; row < rows; ++row)
              convert.OneEach(at + row * lines.inner, lines.inner, scale);
          at += rows * lines.inner;
        }
    });
  return Accept("lines", [lines](const KernelArgs& args) {
    const Converter<Conversion, Integer> convert(args, lines.shifted);
    for (int64_t outer = 0, at = 0; outer < lines.outer; ++outer)
      if (lines.inner == 1) {
        convert.OneEach(at, lines.axis, 0);
        at += lines.axis;
      } else {
        for (int64_t index = 0; index < lines.axis; ++index, at += lines.inner)
          convert.OneScale(at, lines.inner, index);
      }
  });
}

template <template <typename> typename Conversion>
Prepared PrepareFor(const KernelSite& site, ElementType integers) {
  const Shape& shape = site.shape(0);
  const Shape& scale = site.shape(1);
  const auto map = ScaleMap::Make(site.attributes(), shape, scale);
  if (!map.ok()) return Decline(map.error().message);
  Lines lines;
  lines.inner = NumElements(shape);
  lines.shifted = site.call->has(2);
  lines.block = site.attributes().Int("block_size", 0);
  if ((lines.block > 0 || NumElements(scale) != 1) && lines.inner > 0) {
    const auto axis = site.Axis(1);
    if (!axis.ok()) return Decline(axis.error().message);
    const AxisSplit split = SplitAround(shape, axis.value());
    lines.outer = split.outer;
    lines.axis = split.size;
    lines.inner = split.inner;
  }
  return VisitElementType(integers, [&](auto zero) -> Prepared {
    using T = decltype(zero);
    if constexpr (Conversion<T>::kKnown) return Bind<Conversion<T>, T>(lines);
    return Decline("no loop for this element type");
  });
}

}  // namespace

Prepared QuantizeLinear(const KernelSite& site) {
  if (site.element(0) != ElementType::kF32 || site.element(1) != ElementType::kF32)
    return Decline("f32 only");
  return PrepareFor<ToIntegers>(site, site.out().element);
}

Prepared DequantizeLinear(const KernelSite& site) {
  if (site.element(1) != ElementType::kF32 || site.out().element != ElementType::kF32)
    return Decline("f32 only");
  return PrepareFor<FromIntegers>(site, site.element(0));
}

}  // namespace metadist::cpu
