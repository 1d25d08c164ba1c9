// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metair/ir/shape.h"

namespace metadist {

// A typed, row-major array. Its bytes are owned, or mapped and kept alive by an owner, or absent
// (known shape without values: weights that the model file does not contain). Copies share bytes.
class Tensor {
 public:
  Tensor() = default;

  static Tensor Zeros(TensorType type);
  // The caller must set all elements before any is read.
  static Tensor Unset(TensorType type);
  static Tensor Absent(TensorType type);
  // bytes: type.bytes() bytes, suitably aligned, valid and unchanged while `owner` lives.
  static Tensor Mapped(TensorType type, std::shared_ptr<const void> owner, const std::byte* bytes);
  template <typename T>
  static Tensor Of(Shape shape, const std::vector<T>& values) {
    Tensor tensor = Zeros({ElementTypeOf<T>(), std::move(shape)});
    CHECK(static_cast<int64_t>(values.size()) == tensor.size(), "value count differs from shape");
    std::copy(values.begin(), values.end(), tensor.mutable_data<T>());
    return tensor;
  }
  template <typename T>
  static Tensor Scalar(T value) {
    return Of<T>({}, {value});
  }

  const TensorType& type() const { return type_; }
  const Shape& shape() const { return type_.shape; }
  ElementType element() const { return type_.element; }
  int64_t rank() const { return static_cast<int64_t>(type_.shape.size()); }
  int64_t dim(int64_t axis) const { return type_.shape[static_cast<size_t>(axis)]; }
  int64_t size() const { return NumElements(type_.shape); }
  bool has_data() const { return bytes_ != nullptr; }

  const std::byte* bytes() const { return bytes_; }
  // Only for owned bytes that no other Tensor shares.
  std::byte* mutable_bytes();

  template <typename T>
  const T* data() const {
    CHECK(ElementTypeOf<T>() == type_.element, "element type differs");
    return reinterpret_cast<const T*>(bytes_);
  }
  template <typename T>
  T* mutable_data() {
    CHECK(ElementTypeOf<T>() == type_.element, "element type differs");
    return reinterpret_cast<T*>(mutable_bytes());
  }

  // The same bytes with another shape of as many elements.
  Tensor Reshaped(Shape shape) const;
  // The same bytes as elements of another type of the same size.
  Tensor Viewed(ElementType element) const;
  // An owned copy.
  Tensor Clone() const;
  // Element-wise conversion: floats round to nearest even, float to int truncates, to bool is != 0;
  // integers wrap.
  Tensor Cast(ElementType element) const;
  // Elements of an integer (or bool) tensor as int64.
  std::vector<int64_t> ToInts() const;
  // Elements of any tensor as f64.
  std::vector<double> ToDoubles() const;

 private:
  TensorType type_;
  std::shared_ptr<const void> owner_;
  const std::byte* bytes_ = nullptr;
  bool owned_ = false;
};

// Whole tensors by name of a value, or of an array in a file.
using NamedTensors = std::map<std::string, Tensor>;

// NumPy lacks bf16, f8 and all types of fewer than 8 bits, so their arrays are given as bits.
// Reinterprets `given` as an array of `element` if it holds u16 or u8 and `element` is such a type;
// otherwise returns it unchanged.
Tensor FromBits(Tensor given, ElementType element);
// A hint for users whose array has another type; "" if NumPy has `element`.
std::string BitsHint(ElementType element);

// Bit-equality of type and bytes; absent data equals absent data.
bool Identical(const Tensor& a, const Tensor& b);

}  // namespace metadist
