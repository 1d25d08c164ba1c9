// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace metadist::cpu {

// A transposing copy of two dims, of which one is dense in the source and the other in the
// destination: to[a * to_step + b] = from[b * from_step + a], a < columns, b < rows. Steps in items
// of `item_bytes`, which is 1, 2, 4 or 8; they may be negative.
struct TransposedCopy {
  int64_t item_bytes = 0;
  int64_t columns = 0;
  int64_t rows = 0;
  int64_t from_step = 0;
  int64_t to_step = 0;

  // How many columns are best copied at a time, if several such copies are adjacent in the
  // destination: fewer than all if those copies write to the same lines, which then stay in the
  // cache.
  int64_t strip() const {
    return rows * item_bytes < kLineBytes ? kStripBytes / item_bytes : columns;
  }
  // Copies columns [begin, end). The arrays need not be aligned to their items and must not
  // overlap.
  void Run(const std::byte* from, std::byte* to, int64_t begin, int64_t end) const;

 private:
  static constexpr int64_t kLineBytes = 64;
  static constexpr int64_t kStripBytes = 256;
};

}  // namespace metadist::cpu
