// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "metair/ir/element_type.h"
#include "metair/ir/result.h"

namespace metadist::cpu {

// An array of i32 or i64, read as indices.
struct Indices {
  const std::byte* bytes;
  bool wide;  // i64
  int64_t operator[](int64_t i) const {
    return wide ? reinterpret_cast<const int64_t*>(bytes)[i]
                : reinterpret_cast<const int32_t*>(bytes)[i];
  }
};

inline bool IsIndex(ElementType type) {
  return type == ElementType::kI32 || type == ElementType::kI64;
}

// The reference kernels' error for an index outside [-size, size).
Error OutOfRange(int64_t index, int64_t size);

}  // namespace metadist::cpu
