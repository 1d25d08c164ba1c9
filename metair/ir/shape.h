// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/ir/element_type.h"
#include "metair/ir/result.h"

namespace metadist {

// Sizes of the dims, outermost first; row-major. kRunTimeSize marks a size known only at run time.
using Shape = std::vector<int64_t>;
inline constexpr int64_t kRunTimeSize = -1;

// Whether no size is kRunTimeSize.
bool IsKnown(const Shape& shape);

// Product of the sizes; 1 for a scalar. The shape must be known and its product fit int64
// (importers check with CheckedElements first).
int64_t NumElements(const Shape& shape);
// The same for untrusted sizes: kBadInput for a negative size or an overflowing product of bytes.
Result<int64_t> CheckedElements(const Shape& shape, ElementType element);

// Row-major element strides.
std::vector<int64_t> Strides(const Shape& shape);

// NumPy broadcasting of two shapes; kBadInput when a dim differs and neither is 1.
Result<Shape> Broadcast(const Shape& a, const Shape& b);

// "[8,24,64]"; a run-time size prints as `?`.
std::string ShapeText(const Shape& shape);

struct TensorType {
  ElementType element = ElementType::kF32;
  Shape shape = {};

  int64_t bytes() const { return NumElements(shape) * ByteSize(element); }
  bool operator==(const TensorType&) const = default;
};

// "f32[8,24,64]".
std::string TypeText(const TensorType& type);

// Axis in [-rank, rank) to [0, rank); kBadInput outside.
Result<int64_t> NormalizeAxis(int64_t axis, int64_t rank);

}  // namespace metadist
