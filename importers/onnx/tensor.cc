// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/tensor.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "importers/onnx/types.h"
#include "metair/ir/packing.h"
#include "metair/ops/onnx_types.h"

namespace metadist {
namespace {

constexpr char kContradiction[] =
    "its dims and its payload contradict each other: export the model again";

Result<int64_t> Number(const std::string& key, const std::string& text) {
  int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    return BadInput("",
                    fmt::format("the {} of external data must be a number, got '{}'", key, text));
  if (value < 0)
    return BadInput(
        "", fmt::format("the {} of external data must not be negative, got {}", key, value));
  return value;
}

// The type as stored in files: elements of 4 and 2 bits are packed in bytes, the first in the low
// bits.
TensorType Stored(const TensorType& type) {
  if (BitSize(type.element) >= 8) return type;
  return {ElementType::kU8, {PackedBytes(type)}};
}

// Converts a tensor read as Stored(type) to `type`.
Tensor Unpacked(const TensorType& type, Tensor stored) {
  if (stored.type() == type) return stored;
  if (!stored.has_data()) return Tensor::Absent(type);
  Tensor tensor = Tensor::Unset(type);
  Unpack(type, stored.bytes(), tensor.mutable_bytes());
  return tensor;
}

Result<Tensor> ReadExternal(const TensorType& type,
                            const onnx::TensorProto& proto,
                            ExternalData* external) {
  std::string location;
  int64_t offset = 0;
  std::optional<int64_t> length;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = TRY(Number("offset", entry.value()));
    if (entry.key() == "length") length = TRY(Number("length", entry.value()));
  }
  return Unpacked(type, TRY(external->Read(Stored(type), location, offset, length)));
}

Result<Tensor> TakeRaw(const TensorType& whole, onnx::TensorProto* proto) {
  const TensorType type = Stored(whole);
  if (static_cast<int64_t>(proto->raw_data().size()) != type.bytes())
    return BadInput(
        "",
        fmt::format(
            "{} takes {} bytes, got {}", TypeText(whole), type.bytes(), proto->raw_data().size()),
        kContradiction);
  if (type.bytes() == 0) return Tensor::Zeros(whole);
  auto bytes = std::make_shared<std::string>(std::move(*proto->mutable_raw_data()));
  const auto* data = reinterpret_cast<const std::byte*>(bytes->data());
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(ByteSize(type.element)) == 0)
    return Unpacked(whole, WithCleanBools(Tensor::Mapped(type, bytes, data)));
  Tensor copy = Tensor::Zeros(type);
  std::memcpy(copy.mutable_bytes(), data, bytes->size());
  return WithCleanBools(std::move(copy));
}

// Fills from a typed field, whose size is checked before anything is allocated; T is the storage
// type of the element.
template <typename T, typename Field>
Result<Tensor> FromField(const TensorType& type, const Field& field) {
  const int64_t size = NumElements(type.shape);
  if (field.size() != size)
    return BadInput("",
                    fmt::format("{} has {} elements, got {}", TypeText(type), size, field.size()),
                    kContradiction);
  Tensor tensor = Tensor::Zeros(type);
  T* data = tensor.mutable_data<T>();
  for (int i = 0; i < field.size(); ++i) {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
      data[i].bits = static_cast<uint16_t>(field.Get(i));
    else if constexpr (kIsSmallFloat<T>)
      data[i].bits = static_cast<uint8_t>(field.Get(i));
    else if constexpr (std::is_same_v<T, bool>)
      data[i] = field.Get(i) != 0;
    else
      data[i] = static_cast<T>(field.Get(i));
  }
  return tensor;
}

Result<Tensor> FromTypedFields(const TensorType& whole, const onnx::TensorProto& proto) {
  const TensorType type = Stored(whole);
  Result<Tensor> stored = VisitElementType(type.element, [&](auto zero) -> Result<Tensor> {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, double>)
      return FromField<T>(type, proto.double_data());
    else if constexpr (std::is_same_v<T, float>)
      return FromField<T>(type, proto.float_data());
    else if constexpr (std::is_same_v<T, int64_t>)
      return FromField<T>(type, proto.int64_data());
    else if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>)
      return FromField<T>(type, proto.uint64_data());
    else
      return FromField<T>(type, proto.int32_data());
  });
  return Unpacked(whole, TRY(std::move(stored)));
}

}  // namespace

Result<TensorType> TensorTypeOf(const onnx::TensorProto& proto) {
  const auto element = ElementTypeOfOnnx(proto.data_type());
  if (!element)
    return BadInput(
        "",
        fmt::format("elements of type {} are not supported", OnnxTypeName(proto.data_type())),
        kElementTypesHint);
  TensorType type{*element, {proto.dims().begin(), proto.dims().end()}};
  auto count = CheckedElements(type.shape, type.element);
  if (!count.ok()) {
    Error error = std::move(count).error();
    error.hint = "no exporter writes such sizes: the file is damaged or malicious";
    return error;
  }
  return type;
}

Result<Tensor> TakeTensor(onnx::TensorProto* proto, ExternalData* external) {
  const TensorType type = TRY(TensorTypeOf(*proto));
  if (proto->has_segment())
    return BadInput("", "tensors in segments are not supported", "store it in one piece");
  if (proto->data_location() == onnx::TensorProto::EXTERNAL)
    return ReadExternal(type, *proto, external);
  if (proto->has_raw_data()) return TakeRaw(type, proto);
  return FromTypedFields(type, *proto);
}

}  // namespace metadist
