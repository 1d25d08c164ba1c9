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

// Product of the sizes; 1 for a scalar. The shape must be known and the product must fit int64
// (importers call CheckedElements first).
int64_t NumElements(const Shape& shape);
// The same for untrusted sizes. Errors: kBadInput for a negative size or if the product in bytes
// overflows.
Result<int64_t> CheckedElements(const Shape& shape, ElementType element);

// Row-major element strides.
std::vector<int64_t> Strides(const Shape& shape);

// NumPy broadcasting of two shapes. Errors: kBadInput if sizes differ and neither is 1.
Result<Shape> Broadcast(const Shape& a, const Shape& b);

// "[8,24,64]"; a run-time size prints as `?`.
std::string ShapeText(const Shape& shape);

struct TensorType {
  ElementType element = ElementType::kF32;
  Shape shape = {};

  int64_t bytes() const { return NumElements(shape) * ByteSize(element); }
  bool operator==(const TensorType&) const = default;
};

// One element, a float.
bool IsOneFloat(const TensorType& type);

// "f32[8,24,64]".
std::string TypeText(const TensorType& type);

// Maps an axis in [-rank, rank) to [0, rank). Errors: kBadInput outside of that.
Result<int64_t> NormalizeAxis(int64_t axis, int64_t rank);

}  // namespace metadist
