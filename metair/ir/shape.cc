// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/shape.h"

#include <fmt/format.h>

#include <algorithm>

namespace metadist {

bool IsKnown(const Shape& shape) {
  return std::find(shape.begin(), shape.end(), kRunTimeSize) == shape.end();
}

int64_t NumElements(const Shape& shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    CHECK(size >= 0, "element count of a shape with run-time sizes");
    count *= size;
  }
  return count;
}

Result<int64_t> CheckedElements(const Shape& shape, ElementType element) {
  int64_t bytes = ByteSize(element);
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0) return BadInput("", fmt::format("sizes must not be negative, got {}", size));
    empty |= size == 0;
    if (!empty && __builtin_mul_overflow(bytes, size, &bytes))
      return BadInput("", fmt::format("sizes {} overflow 64 bits", ShapeText(shape)));
  }
  return empty ? 0 : bytes / ByteSize(element);
}

std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  // Strides of an empty array may overflow; they are never used to address elements.
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] =
        static_cast<int64_t>(static_cast<uint64_t>(strides[i]) * static_cast<uint64_t>(shape[i]));
  return strides;
}

Result<Shape> Broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return BadInput("",
                      fmt::format("shapes {} and {} do not broadcast", ShapeText(a), ShapeText(b)));
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

std::string ShapeText(const Shape& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out += ',';
    out += shape[i] == kRunTimeSize ? "?" : std::to_string(shape[i]);
  }
  return out + "]";
}

bool IsOneFloat(const TensorType& type) {
  return ClassOf(type.element) == ElementClass::kFloat && IsKnown(type.shape) &&
         NumElements(type.shape) == 1;
}

std::string TypeText(const TensorType& type) {
  return std::string(Name(type.element)) + ShapeText(type.shape);
}

Result<int64_t> NormalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return BadInput("", fmt::format("axis must be in [{}, {}], got {}", -rank, rank - 1, axis));
  return axis < 0 ? axis + rank : axis;
}

}  // namespace metadist
