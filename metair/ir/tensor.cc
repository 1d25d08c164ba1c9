// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

namespace metadist {
namespace {

constexpr size_t kAlignment = 64;
// Up to this many bytes, arrays are aligned manually: discovery makes very many small ones, and
// aligned allocation is far slower than plain allocation.
constexpr size_t kSmallBytes = 1 << 14;

template <typename T>
constexpr bool kIsSmall = kIsSmallFloat<T> || kIsSmallInt<T>;
// The types in which kernels compute; small types are converted through them.
template <typename T>
constexpr bool kIsWide =
    std::is_same_v<T, double> || std::is_same_v<T, int64_t> || std::is_same_v<T, bool>;

template <typename To, typename From>
To Convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    if constexpr (std::is_arithmetic_v<From>)
      return value != From(0);
    else
      return static_cast<float>(value) != 0.0f;
  } else if constexpr (kIsSmallFloat<To>) {
    return To(static_cast<double>(value));
  } else if constexpr (kIsSmallInt<To>) {
    return To(Convert<int64_t>(value));
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>) {
    // Out-of-range conversions are undefined in C++; saturate at int64 and let narrower types wrap.
    const double x = static_cast<double>(value);
    if (std::isnan(x)) return To(0);
    if (x >= 0x1p63) {
      if constexpr (std::is_same_v<To, uint64_t>)
        return x >= 0x1p64 ? std::numeric_limits<uint64_t>::max() : static_cast<uint64_t>(x);
      return static_cast<To>(std::numeric_limits<int64_t>::max());
    }
    if (x < -0x1p63) return static_cast<To>(std::numeric_limits<int64_t>::min());
    return static_cast<To>(static_cast<int64_t>(x));
  } else {
    return static_cast<To>(value);
  }
}

// Whether values are converted between the types through the type in which kernels compute.
template <typename From, typename To>
constexpr bool kByWayOfWide = (kIsSmall<From> || kIsSmall<To>) && !kIsWide<From> && !kIsWide<To>;

template <typename From, typename To>
void ConvertAll(const Tensor& from, Tensor* to) {
  const int64_t count = from.size();
  const From* x = from.data<From>();
  To* y = to->mutable_data<To>();
  for (int64_t i = 0; i < count; ++i) y[i] = Convert<To>(x[i]);
}

}  // namespace

Tensor Tensor::Zeros(TensorType type) {
  Tensor tensor = Unset(std::move(type));
  std::memset(
      tensor.mutable_bytes(), 0, static_cast<size_t>(std::max<int64_t>(tensor.type_.bytes(), 1)));
  return tensor;
}

Tensor Tensor::Unset(TensorType type) {
  Tensor tensor;
  const size_t bytes = static_cast<size_t>(std::max<int64_t>(type.bytes(), 1));
  void* memory = nullptr;
  if (bytes <= kSmallBytes) {
    size_t room = bytes + kAlignment;
    auto start = std::make_shared_for_overwrite<std::byte[]>(room);
    memory = start.get();
    memory = std::align(kAlignment, bytes, memory, room);
    tensor.owner_ = std::shared_ptr<const void>(std::move(start), memory);
  } else {
    memory = ::operator new(bytes, std::align_val_t(kAlignment));
    tensor.owner_ = std::shared_ptr<const void>(memory, [](const void* p) {
      ::operator delete(const_cast<void*>(p), std::align_val_t(kAlignment));
    });
  }
  tensor.type_ = std::move(type);
  tensor.bytes_ = static_cast<const std::byte*>(memory);
  tensor.owned_ = true;
  return tensor;
}

Tensor Tensor::Absent(TensorType type) {
  Tensor tensor;
  tensor.type_ = std::move(type);
  return tensor;
}

Tensor Tensor::Mapped(TensorType type, std::shared_ptr<const void> owner, const std::byte* bytes) {
  Tensor tensor;
  tensor.type_ = std::move(type);
  tensor.owner_ = std::move(owner);
  tensor.bytes_ = bytes;
  return tensor;
}

std::byte* Tensor::mutable_bytes() {
  CHECK(owned_, "writing to a tensor without bytes of its own");
  return const_cast<std::byte*>(bytes_);
}

Tensor Tensor::Reshaped(Shape shape) const {
  Tensor tensor = *this;
  tensor.type_.shape = std::move(shape);
  CHECK(tensor.size() == size(), "reshape changes the element count");
  return tensor;
}

Tensor Tensor::Viewed(ElementType element) const {
  CHECK(ByteSize(element) == ByteSize(type_.element), "elements of another size");
  Tensor tensor = *this;
  tensor.type_.element = element;
  return tensor;
}

Tensor Tensor::Clone() const {
  if (!has_data()) return *this;
  Tensor tensor = Unset(type_);
  if (type_.bytes() > 0)
    std::memcpy(tensor.mutable_bytes(), bytes_, static_cast<size_t>(type_.bytes()));
  return tensor;
}

Tensor Tensor::Cast(ElementType element) const {
  if (element == type_.element) return *this;
  if (!has_data()) return Absent({element, type_.shape});
  using Conversion = void (*)(const Tensor&, Tensor*);
  const auto conversion = VisitElementType(type_.element, [&](auto from) -> Conversion {
    return VisitElementType(element, [](auto to) -> Conversion {
      using From = decltype(from);
      using To = decltype(to);
      if constexpr (kByWayOfWide<From, To>)
        return nullptr;
      else
        return ConvertAll<From, To>;
    });
  });
  if (conversion == nullptr) return Cast(ComputeType(type_.element)).Cast(element);
  Tensor out = Unset({element, type_.shape});
  conversion(*this, &out);
  return out;
}

std::vector<int64_t> Tensor::ToInts() const {
  const Tensor wide = Cast(ElementType::kI64);
  return {wide.data<int64_t>(), wide.data<int64_t>() + size()};
}

std::vector<double> Tensor::ToDoubles() const {
  const Tensor wide = Cast(ElementType::kF64);
  return {wide.data<double>(), wide.data<double>() + size()};
}

Tensor FromBits(Tensor given, ElementType element) {
  const ElementType bits = ByteSize(element) == 2 ? ElementType::kU16 : ElementType::kU8;
  if (given.element() != bits || !given.has_data() || BitsHint(element).empty()) return given;
  if (BitSize(element) >= 8) return given.Viewed(element);
  Tensor out = Tensor::Unset({element, given.shape()});
  const std::byte mask = std::byte((1 << BitSize(element)) - 1);
  std::transform(
      given.bytes(), given.bytes() + given.size(), out.mutable_bytes(), [&](std::byte b) {
        return b & mask;
      });
  return out;
}

std::string BitsHint(ElementType element) {
  const bool small = VisitElementType(element, [](auto zero) { return kIsSmall<decltype(zero)>; });
  if (!small && element != ElementType::kBF16) return "";
  return std::string("give an array of ml_dtypes, or its bits: array.view(numpy.") +
         (small ? "uint8)" : "uint16)");
}

bool Identical(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.has_data() != b.has_data()) return false;
  if (!a.has_data() || a.type().bytes() == 0) return true;
  return std::memcmp(a.bytes(), b.bytes(), static_cast<size_t>(a.type().bytes())) == 0;
}

}  // namespace metadist
