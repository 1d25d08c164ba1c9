// SPDX-License-Identifier: Apache-2.0
#include "metair/ops/quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metair/ops/broadcast.h"
#include "metair/ops/call_check.h"
#include "metair/ops/elementwise.h"

namespace metadist {

bool IsQuantisedFloat(ElementType element) {
  return IsNarrowFloat(element) && !IsHalf(element) && element != ElementType::kF8E8M0;
}

bool IsByte(ElementType element) {
  return element == ElementType::kI8 || element == ElementType::kU8;
}

IntegerLimits LimitsOf(ElementType element) {
  return VisitElementType(element, [](auto zero) -> IntegerLimits {
    using T = decltype(zero);
    if constexpr (kIsSmallInt<T>)
      return {static_cast<double>(T::kLow), static_cast<double>(T::kHigh)};
    if constexpr (std::numeric_limits<T>::is_integer)
      return {static_cast<double>(std::numeric_limits<T>::min()),
              static_cast<double>(std::numeric_limits<T>::max())};
    CHECK(false, "floats are not quantised");
  });
}

int64_t Quantize(double value, int64_t zero_point, ElementType element) {
  const IntegerLimits limits = LimitsOf(element);
  if (std::isnan(value)) return zero_point;
  const double shifted = std::nearbyint(value) + static_cast<double>(zero_point);
  return static_cast<int64_t>(std::clamp(shifted, limits.low, limits.high));
}

Result<ScaleMap> ScaleMap::Make(const Attributes& attributes,
                                const Shape& data,
                                const Shape& scale) {
  ScaleMap map;
  const int64_t block = attributes.Int("block_size", 0);
  if (block < 0) return BadCall("block_size must be at least 0, got {}", block);
  if (block == 0 && (scale.empty() || scale == Shape{1})) return map;
  const int64_t rank = static_cast<int64_t>(data.size());
  const int64_t axis = TRY(NormalizeAxis(attributes.Int("axis", 1), rank));
  const size_t at = static_cast<size_t>(axis);
  Shape expected{data[at]};
  if (block > 0) {
    expected = data;
    expected[at] = (data[at] + block - 1) / block;
  }
  if (scale != expected)
    return BadCall("the scale must be {}, got {}", ShapeText(expected), ShapeText(scale));
  map.axis_ = data[at];
  map.inner_ = NumElements({data.begin() + axis + 1, data.end()});
  map.block_ = block;
  map.blocks_ = expected[block > 0 ? at : 0];
  return map;
}

int64_t ScaleMap::at(int64_t element) const {
  const int64_t index = element / inner_ % axis_;
  if (block_ == 0) return index;
  const int64_t outer = element / inner_ / axis_;
  return (outer * blocks_ + index / block_) * inner_ + element % inner_;
}

bool ZeroPointFits(const OpCall& call, size_t scale, size_t zero_point) {
  if (!call.has(scale) || !call.has(zero_point)) return true;
  const Shape& a = call.shape(scale);
  const Shape& b = call.shape(zero_point);
  const auto single = [](const Shape& shape) { return shape.empty() || shape == Shape{1}; };
  return a == b || (single(a) && single(b));
}

Tensor LessZeroPoint(const Tensor& operand, const Tensor* zero_point) {
  if (zero_point == nullptr) return operand;
  Tensor less = Tensor::Zeros(operand.type());
  MapBinary<int64_t, int64_t>(operand, *zero_point, less, WrapSub);
  return less;
}

Tensor LessFilterZeroPoint(const Tensor& operand, const Tensor* zero_point) {
  if (zero_point == nullptr) return operand;
  Shape shape(operand.shape().size(), 1);
  shape[0] = zero_point->size();
  const Tensor spread = zero_point->Reshaped(shape);
  return LessZeroPoint(operand, &spread);
}

Result<void> CheckFilterParameter(const OpCall& call, size_t input, int64_t filters) {
  if (!call.has(input)) return {};
  const Shape& shape = call.shape(input);
  if (shape.empty() || shape == Shape{1} || shape == Shape{filters}) return {};
  return BadCall("input {} must have 1 or {} elements, got {}", input, filters, ShapeText(shape));
}

}  // namespace metadist
