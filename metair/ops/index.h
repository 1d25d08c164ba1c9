// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "metair/ir/result.h"

namespace metadist {

// Maps an index in [-size, size) to [0, size). Errors: kBadInput outside of that.
inline Result<int64_t> NormalizeIndex(int64_t index, int64_t size) {
  if (index < -size || index >= size)
    return BadInput("", fmt::format("index must be in [{}, {}], got {}", -size, size - 1, index));
  return index < 0 ? index + size : index;
}

// Makes an index into a dim of size `whole` relative to `length` of its elements starting at
// `start`; returns `length` if the index is outside them. whole = 0: negative indices do not count
// from the end.
inline int64_t CountedFrom(int64_t index, int64_t start, int64_t length, int64_t whole) {
  const int64_t at = index < 0 ? index + whole : index;
  return at >= start && at - start < length ? at - start : length;
}

}  // namespace metadist
