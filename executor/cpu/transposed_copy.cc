// SPDX-License-Identifier: Apache-2.0
// Transposing a matrix.
//
// Problem: one of the two dims has a large stride in the source, the other in the destination.
// Element by element, every step touches a different cache line, which has been evicted before its
// next element is needed, and a different page.
// Approaches: a recursion that halves the longer side (independent of cache sizes, but with many
// calls); tiles that fit into the L1 cache; tiles that are gathered in a buffer and written from
// there with stores that bypass the caches.
// Choice: tiles of one cache line of the source by two of the destination, so that each line is
// read and written whole while it is in the L1 cache, walked along the rows of the source, which
// the hardware prefetches. Bypassing the caches loses as soon as the next kernel reads the result,
// and a buffer costs more than it saves. Within a tile, squares are transposed in registers. Their
// rows have 16 bytes, the vector size of every x86-64 and every ARMv8, or are whole cache lines on
// processors that store a line at once; with items too short for that, a line would have too many
// rows.
// Complexity: each element once; n log2(n) interleavings for a square of n rows.
// Source: Frigo, Leiserson, Prokop, Ramachandran 1999, "Cache-oblivious algorithms" (the recursion
// and the counts of cache misses); the interleaving network is the perfect shuffle of Stone 1971.
#include "executor/cpu/transposed_copy.h"

#include <algorithm>
#include <cstring>

#include "executor/cpu/item.h"
#include "executor/cpu/turn_square.h"
#include "executor/cpu/turned_lines.h"
#include "metair/ir/multiversion.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kColumnBytes = 64;  // of a tile, in the source
constexpr int64_t kRowBytes = 128;    // in the destination
template <typename T>
using SmallSquare = TurnSquare<T, 16>;

bool CanStoreLines() {
#if defined(__x86_64__)
  static const bool can = HasAvx512();
  return can;
#else
  return false;
#endif
}

// Steps in bytes.
struct Tile {
  const std::byte* from;
  int64_t from_step;
  std::byte* to;
  int64_t to_step;

  template <typename T>
  Tile At(int64_t column, int64_t row) const {
    constexpr int64_t kItem = sizeof(T);
    return {from + column * kItem + row * from_step,
            from_step,
            to + column * to_step + row * kItem,
            to_step};
  }
};

// Copies the remainder at the edges of a tile.
template <typename T>
void TurnItems(const Tile& tile, int64_t columns, int64_t rows) {
  for (int64_t a = 0; a < columns; ++a) {
    const std::byte* from = tile.from + a * static_cast<int64_t>(sizeof(T));
    std::byte* to = tile.to + a * tile.to_step;
    for (int64_t b = 0; b < rows; ++b, from += tile.from_step, to += sizeof(T))
      std::memcpy(to, from, sizeof(T));
  }
}

// Transposes a tile by squares of the first kind, and by the others at the edges.
template <typename T>
void TurnTile(const Tile& tile, int64_t columns, int64_t rows) {
  TurnItems<T>(tile, columns, rows);
}
template <typename T, typename Square, typename... Smaller>
void TurnTile(const Tile& tile, int64_t columns, int64_t rows) {
  const int64_t whole_columns = columns / Square::kSide * Square::kSide;
  const int64_t whole_rows = rows / Square::kSide * Square::kSide;
  for (int64_t a = 0; a < whole_columns; a += Square::kSide)
    for (int64_t b = 0; b < whole_rows; b += Square::kSide) {
      const Tile at = tile.At<T>(a, b);
      Square::Turn(at.from, at.from_step, at.to, at.to_step);
    }
  if (rows > whole_rows)
    TurnTile<T, Smaller...>(tile.At<T>(0, whole_rows), whole_columns, rows - whole_rows);
  if (columns > whole_columns)
    TurnTile<T, Smaller...>(tile.At<T>(whole_columns, 0), columns - whole_columns, rows);
}

template <typename T, typename... Squares>
void TurnAll(const Tile& all, int64_t columns, int64_t rows) {
  constexpr int64_t kSide = SmallSquare<T>::kSide;
  if (rows < kSide || columns < kSide) return TurnItems<T>(all, columns, rows);
  constexpr int64_t kColumns = kColumnBytes / static_cast<int64_t>(sizeof(T));
  constexpr int64_t kRows = kRowBytes / static_cast<int64_t>(sizeof(T));
  for (int64_t b = 0; b < rows; b += kRows)
    for (int64_t a = 0; a < columns; a += kColumns)
      TurnTile<T, Squares...>(
          all.At<T>(a, b), std::min(kColumns, columns - a), std::min(kRows, rows - b));
}

template <typename T>
void Turn(const Tile& all, int64_t columns, int64_t rows) {
  if constexpr (sizeof(T) >= 4)
    if (CanStoreLines()) return TurnAll<T, LineSquare<T>, SmallSquare<T>>(all, columns, rows);
  TurnAll<T, SmallSquare<T>>(all, columns, rows);
}

}  // namespace

void TransposedCopy::Run(const std::byte* from, std::byte* to, int64_t begin, int64_t end) const {
  const Tile all{from + begin * item_bytes,
                 from_step * item_bytes,
                 to + begin * to_step * item_bytes,
                 to_step * item_bytes};
  VisitItem(item_bytes, [&](auto zero) { Turn<decltype(zero)>(all, end - begin, rows); });
}

}  // namespace metadist::cpu
