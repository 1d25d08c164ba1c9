// SPDX-License-Identifier: Apache-2.0
//
// One NumPy array: magic, version, header length, a Python dictionary literal, the elements.
// Source: numpy.lib.format, versions 1.0 to 3.0.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "importers/arrays/external_data.h"
#include "importers/arrays/npz.h"

namespace metadist {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;

struct Header {
  TensorType type;
  bool fortran = false;
};

struct Descriptor {
  std::string_view text;
  ElementType element;
};

// `V2` is bf16, which NumPy itself lacks. It also lacks floats of 8 bits and narrower elements,
// which are all stored as `V1` or `f1`: they are read as bits (see FromBits).
constexpr Descriptor kDescriptors[] = {
    {"<f8", ElementType::kF64},
    {"<f4", ElementType::kF32},
    {"<f2", ElementType::kF16},
    {"<V2", ElementType::kBF16},
    {"|i1", ElementType::kI8},
    {"<i2", ElementType::kI16},
    {"<i4", ElementType::kI32},
    {"<i8", ElementType::kI64},
    {"|u1", ElementType::kU8},
    {"<u2", ElementType::kU16},
    {"<u4", ElementType::kU32},
    {"<u8", ElementType::kU64},
    {"|b1", ElementType::kBool},
    {"|V2", ElementType::kBF16},
    {"<V1", ElementType::kU8},
    {"|V1", ElementType::kU8},
    {"<f1", ElementType::kU8},
};

// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (8, 24), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<Header> Parse() {
    if (!Take("{")) return Bad("a dictionary");
    while (!Take("}")) {
      const std::optional<std::string> key = String();
      if (!key || !Take(":")) return Bad("a key");
      TRY(Entry(*key));
      Take(",");
    }
    if (!element_ || !has_shape_) return Bad("keys 'descr' and 'shape'");
    TRY(CheckedElements(header_.type.shape, *element_));
    header_.type.element = *element_;
    return header_;
  }

 private:
  Error Bad(const std::string& wanted) {
    return BadInput("", fmt::format("expected {} in the header of the array", wanted));
  }
  void Skip() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool Take(std::string_view word) {
    Skip();
    if (text_.substr(0, word.size()) != word) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> String() {
    Skip();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return std::nullopt;
    const size_t end = text_.find(text_[0], 1);
    if (end == text_.npos) return std::nullopt;
    std::string out(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return out;
  }

  Result<void> Entry(const std::string& key) {
    if (key == "descr") return Element();
    if (key == "shape") return Sizes();
    if (key != "fortran_order")
      return BadInput("", fmt::format("unknown key '{}' in the header of the array", key));
    header_.fortran = Take("True");
    if (!header_.fortran && !Take("False")) return Bad("True or False");
    return {};
  }

  Result<void> Element() {
    const std::optional<std::string> text = String();
    if (!text) return BadInput("", "arrays of records are not supported");
    for (const Descriptor& known : kDescriptors)
      if (known.text == *text) element_ = known.element;
    if (!element_)
      return BadInput("", fmt::format("elements of type '{}' are not supported", *text));
    return {};
  }

  Result<void> Sizes() {
    if (!Take("(")) return Bad("a tuple of sizes");
    header_.type.shape.clear();
    while (!Take(")")) {
      Skip();
      int64_t size = 0;
      const auto [end, status] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (status != std::errc()) return Bad("a tuple of sizes");
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      header_.type.shape.push_back(size);
      Take(",");
    }
    has_shape_ = true;
    return {};
  }

  std::string_view text_;
  Header header_;
  std::optional<ElementType> element_;
  bool has_shape_ = false;
};

// Column-major bytes to row-major.
Tensor FromFortran(const TensorType& type, const std::byte* data) {
  Tensor out = Tensor::Zeros(type);
  const size_t width = static_cast<size_t>(ByteSize(type.element));
  std::vector<int64_t> index(type.shape.size(), 0);
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t at = 0;
    for (size_t d = type.shape.size(); d-- > 0;) at = at * type.shape[d] + index[d];
    std::memcpy(out.mutable_bytes() + static_cast<size_t>(i) * width,
                data + static_cast<size_t>(at) * width,
                width);
    for (size_t d = type.shape.size(); d-- > 0;) {
      if (++index[d] < type.shape[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

std::string ShapeTuple(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

Result<Tensor> ParseNpy(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.substr(0, kNpyMagic.size()) != kNpyMagic || text.size() < 12)
    return BadInput("", "expected a NumPy array");
  const auto byte = [&](size_t i) {
    return static_cast<size_t>(std::to_integer<uint8_t>(bytes[i]));
  };
  const size_t version = byte(6);
  if (version < 1 || version > 3)
    return BadInput("", fmt::format("the version of the array must be 1, 2 or 3, got {}", version));
  const size_t start = version == 1 ? 10 : 12;
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - start) return BadInput("", "the header of the array is truncated");
  const Header header = TRY(HeaderParser(text.substr(start, length)).Parse());
  const std::span<const std::byte> data = bytes.subspan(start + length);
  const int64_t wanted = header.type.bytes();
  if (static_cast<int64_t>(data.size()) != wanted)
    return BadInput(
        "", fmt::format("{} takes {} bytes, got {}", TypeText(header.type), wanted, data.size()));
  if (header.fortran) return WithCleanBools(FromFortran(header.type, data.data()));
  Tensor tensor = Tensor::Zeros(header.type);
  if (wanted > 0) std::memcpy(tensor.mutable_bytes(), data.data(), data.size());
  return WithCleanBools(std::move(tensor));
}

std::string NpyBytes(const Tensor& tensor) {
  std::string_view descriptor = "<V1";
  for (const Descriptor& known : kDescriptors)
    if (known.element == tensor.element()) {
      descriptor = known.text;
      break;
    }
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descriptor,
                                   ShapeTuple(tensor.shape()));
  // A newline ends the header; spaces before it align the elements.
  const size_t prefix = kNpyMagic.size() + 4;
  const size_t total = (prefix + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header += std::string(total - prefix - header.size() - 1, ' ') + "\n";
  std::string out(kNpyMagic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  if (tensor.type().bytes() > 0)
    out.append(reinterpret_cast<const char*>(tensor.bytes()),
               static_cast<size_t>(tensor.type().bytes()));
  return out;
}

}  // namespace metadist
