// SPDX-License-Identifier: Apache-2.0
#include "metair/ir/packing.h"

#include <algorithm>

namespace metadist {
namespace {

template <int kBits>
void PackBits(const std::byte* from, int64_t count, std::byte* to) {
  constexpr int64_t kEach = 8 / kBits;
  for (int64_t at = 0; at < count; at += kEach) {
    const int64_t end = std::min(count, at + kEach);
    std::byte packed{0};
    for (int64_t i = at; i < end; ++i) packed |= from[i] << ((i - at) * kBits);
    to[at / kEach] = packed;
  }
}

template <int kBits>
void UnpackBits(const std::byte* from, int64_t count, std::byte* to) {
  constexpr int64_t kEach = 8 / kBits;
  constexpr std::byte kMask{(1 << kBits) - 1};
  const int64_t whole = count / kEach;
  for (int64_t byte = 0; byte < whole; ++byte)
    for (int64_t i = 0; i < kEach; ++i) to[byte * kEach + i] = from[byte] >> (i * kBits) & kMask;
  for (int64_t i = whole * kEach; i < count; ++i)
    to[i] = from[whole] >> ((i - whole * kEach) * kBits) & kMask;
}

}  // namespace

int64_t PackedBytes(const TensorType& type) {
  const int64_t each = 8 / std::min(8, BitSize(type.element));
  return (type.bytes() + each - 1) / each;
}

void Pack(const TensorType& type, const std::byte* from, std::byte* to) {
  const int64_t count = NumElements(type.shape);
  return BitSize(type.element) == 2 ? PackBits<2>(from, count, to) : PackBits<4>(from, count, to);
}

void Unpack(const TensorType& type, const std::byte* from, std::byte* to) {
  const int64_t count = NumElements(type.shape);
  return BitSize(type.element) == 2 ? UnpackBits<2>(from, count, to)
                                    : UnpackBits<4>(from, count, to);
}

}  // namespace metadist
