// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "metair/ir/multiversion.h"

namespace metadist::cpu {

// Transposes squares whose rows are vectors of `kBytes`, in registers: log2(n) rounds that each
// interleave the first half of the rows with the second. The compiled code depends on the
// instruction set of the file, so each size may be used in one file only.
template <typename T, size_t kBytes>
struct TurnSquare {
  static constexpr int64_t kSide = kBytes / sizeof(T);

  // Row i of the result, at to + i * to_step, is column i of the rows at from + i * from_step.
  // Steps in bytes.
  METADIST_INLINE static void Turn(const std::byte* from,
                                   int64_t from_step,
                                   std::byte* to,
                                   int64_t to_step) {
    Rows rows;
    for (int64_t i = 0; i < kSide; ++i) std::memcpy(&rows.at[i], from + i * from_step, kBytes);
    for (int64_t span = 1; span < kSide; span *= 2)
      rows = Round(rows, std::make_index_sequence<kSide / 2>());
    for (int64_t i = 0; i < kSide; ++i) std::memcpy(to + i * to_step, &rows.at[i], kBytes);
  }

 private:
  typedef T Vector __attribute__((vector_size(kBytes)));
  struct Rows {
    Vector at[kSide];
  };

  // a0 b0 a1 b1 ... from lane `kFrom` of both.
  template <size_t kFrom, size_t... kLane>
  METADIST_INLINE static void Interleave(const Vector& a,
                                         const Vector& b,
                                         Vector& to,
                                         std::index_sequence<kLane...>) {
    to = __builtin_shufflevector(a, b, (kFrom + kLane / 2 + kLane % 2 * kSide)...);
  }

  template <size_t... kPair>
  METADIST_INLINE static Rows Round(const Rows& rows, std::index_sequence<kPair...>) {
    constexpr size_t kHalf = kSide / 2;
    constexpr auto kLanes = std::make_index_sequence<kSide>();
    Rows next;
    ((Interleave<0>(rows.at[kPair], rows.at[kPair + kHalf], next.at[2 * kPair], kLanes),
      Interleave<kHalf>(rows.at[kPair], rows.at[kPair + kHalf], next.at[2 * kPair + 1], kLanes)),
     ...);
    return next;
  }
};

}  // namespace metadist::cpu
