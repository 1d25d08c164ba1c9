// SPDX-License-Identifier: Apache-2.0
// Transposing a matrix.
//
// Problem: of the two dims, one is walked with a large step in the source, or else in the
// destination. Element by element, every step touches another cache line, which is gone before its
// next element is asked for, and another page.
// Approaches: a recursion that halves the longer side (needs no cache size, but calls a lot); tiles
// that fit into the first cache; tiles that are gathered in a buffer and written from there past
// the caches.
// Choice: tiles of one cache line of the source by two of the destination, so that each line is
// read and written whole while it is in the first cache, walked along the rows of the source, which
// the hardware fetches ahead. Writing past the caches loses as soon as the next kernel reads the
// result, and a buffer costs more than it saves. Inside, squares of 16 bytes by as many rows as
// those hold items are turned in registers: log2(n) rounds that each interleave the first half of
// the rows with the second. Vectors of 16 bytes are in every x86-64 and every ARMv8, and enough for
// memory speed. Complexity: each element once; n log2(n) interleavings for a square of n rows.
// Source: Frigo, Leiserson, Prokop, Ramachandran 1999, "Cache-oblivious algorithms" (the recursion
// and the counts of cache misses); the interleaving network is the perfect shuffle of Stone 1971.
#include "executor/cpu/turned_copy.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "executor/cpu/multiversion.h"

namespace metadist::cpu {
namespace {

constexpr int64_t kColumnBytes = 64;  // of a tile, in the source
constexpr int64_t kRowBytes = 128;    // in the destination
constexpr size_t kVectorBytes = 16;

template <typename T>
struct Square {
  static constexpr size_t kSide = kVectorBytes / sizeof(T);
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  struct Rows {
    Vector at[kSide];
  };

  // a0 b0 a1 b1 ... from lane `kFrom` of both.
  template <size_t kFrom, size_t... kLane>
  METADIST_INLINE static Vector Interleave(Vector a, Vector b, std::index_sequence<kLane...>) {
    return __builtin_shufflevector(a, b, (kFrom + kLane / 2 + kLane % 2 * kSide)...);
  }

  template <size_t... kPair>
  METADIST_INLINE static Rows Round(const Rows& rows, std::index_sequence<kPair...>) {
    constexpr size_t kHalf = kSide / 2;
    constexpr auto kLanes = std::make_index_sequence<kSide>();
    Rows next;
    ((next.at[2 * kPair] = Interleave<0>(rows.at[kPair], rows.at[kPair + kHalf], kLanes),
      next.at[2 * kPair + 1] = Interleave<kHalf>(rows.at[kPair], rows.at[kPair + kHalf], kLanes)),
     ...);
    return next;
  }

  // Steps in bytes.
  METADIST_INLINE static void Turn(const std::byte* from,
                                   int64_t from_step,
                                   std::byte* to,
                                   int64_t to_step) {
    Rows rows;
    for (size_t i = 0; i < kSide; ++i)
      std::memcpy(&rows.at[i], from + static_cast<int64_t>(i) * from_step, kVectorBytes);
    for (size_t span = 1; span < kSide; span *= 2)
      rows = Round(rows, std::make_index_sequence<kSide / 2>());
    for (size_t i = 0; i < kSide; ++i)
      std::memcpy(to + static_cast<int64_t>(i) * to_step, &rows.at[i], kVectorBytes);
  }
};

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

// What is left at the edges of a tile.
template <typename T>
void TurnItems(const Tile& tile, int64_t columns, int64_t rows) {
  for (int64_t a = 0; a < columns; ++a) {
    const std::byte* from = tile.from + a * static_cast<int64_t>(sizeof(T));
    std::byte* to = tile.to + a * tile.to_step;
    for (int64_t b = 0; b < rows; ++b, from += tile.from_step, to += sizeof(T))
      std::memcpy(to, from, sizeof(T));
  }
}

template <typename T>
void TurnTile(const Tile& tile, int64_t columns, int64_t rows) {
  constexpr int64_t kSide = Square<T>::kSide;
  const int64_t whole_rows = rows / kSide * kSide;
  int64_t a = 0;
  for (; a + kSide <= columns; a += kSide) {
    for (int64_t b = 0; b < whole_rows; b += kSide) {
      const Tile at = tile.At<T>(a, b);
      Square<T>::Turn(at.from, at.from_step, at.to, at.to_step);
    }
    TurnItems<T>(tile.At<T>(a, whole_rows), kSide, rows - whole_rows);
  }
  TurnItems<T>(tile.At<T>(a, 0), columns - a, rows);
}

template <typename T>
void TurnAll(const Tile& all, int64_t columns, int64_t rows) {
  constexpr int64_t kSide = Square<T>::kSide;
  if (rows < kSide || columns < kSide) return TurnItems<T>(all, columns, rows);
  constexpr int64_t kColumns = kColumnBytes / static_cast<int64_t>(sizeof(T));
  constexpr int64_t kRows = kRowBytes / static_cast<int64_t>(sizeof(T));
  for (int64_t b = 0; b < rows; b += kRows)
    for (int64_t a = 0; a < columns; a += kColumns)
      TurnTile<T>(all.At<T>(a, b), std::min(kColumns, columns - a), std::min(kRows, rows - b));
}

}  // namespace

void TurnedCopy::Run(const std::byte* from, std::byte* to, int64_t begin, int64_t end) const {
  const Tile all{from + begin * item_bytes,
                 from_step * item_bytes,
                 to + begin * to_step * item_bytes,
                 to_step * item_bytes};
  switch (item_bytes) {
    case 1:
      return TurnAll<uint8_t>(all, end - begin, rows);
    case 2:
      return TurnAll<uint16_t>(all, end - begin, rows);
    case 4:
      return TurnAll<uint32_t>(all, end - begin, rows);
    default:
      return TurnAll<uint64_t>(all, end - begin, rows);
  }
}

}  // namespace metadist::cpu
