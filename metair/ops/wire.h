// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "metair/ir/shape.h"

// Values as bytes, between processes of one program.
namespace metadist {

class WireWriter {
 public:
  template <typename T>
  void Put(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    PutBytes({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void PutBytes(std::string_view bytes) { text_ += bytes; }
  void PutText(std::string_view text) {
    Put<uint64_t>(text.size());
    PutBytes(text);
  }
  void PutType(const TensorType& type) {
    Put(type.element);
    Put<uint64_t>(type.shape.size());
    for (const int64_t size : type.shape) Put(size);
  }
  std::string Finish() && { return std::move(text_); }

 private:
  std::string text_;
};

// Reads values in the order in which they were written. Missing ones are zero or empty, and ok() is
// then false.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T Take() {
    T value{};
    const std::string_view bytes = TakeBytes(sizeof value);
    if (ok_) bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  std::string_view TakeBytes(uint64_t count) {
    if (count > rest_.size()) ok_ = false;
    if (!ok_) return {};
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  bool TakeFlag() { return Take<uint8_t>() != 0; }
  std::string TakeText() { return std::string(TakeBytes(Take<uint64_t>())); }
  // A length, at most the number of remaining bytes.
  size_t TakeCount() {
    const uint64_t count = Take<uint64_t>();
    if (count > rest_.size()) ok_ = false;
    return ok_ ? static_cast<size_t>(count) : 0;
  }
  TensorType TakeType() {
    TensorType type;
    type.element = Take<ElementType>();
    type.shape.resize(TakeCount());
    for (int64_t& size : type.shape) size = Take<int64_t>();
    return type;
  }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace metadist
