// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "metair/ir/shape.h"

namespace metadist::cpu {

inline constexpr size_t kMaxOperands = 4;
inline constexpr size_t kMaxDims = 8;

// Loops over a shape with up to four operands, each with its own strides. Dims along which every
// operand has a uniform stride are merged, so most calls become one or two loops.
struct LoopNest {
  using Offsets = std::array<int64_t, kMaxOperands>;

  size_t depth = 0;  // outer dims
  std::array<int64_t, kMaxDims> size{};
  std::array<Offsets, kMaxDims> stride{};
  int64_t inner = 1;  // length of the innermost loop
  Offsets inner_stride{};
  bool empty = false;

  // strides: per operand, one stride per dim of `shape`, in any unit. nullopt if more dims remain
  // after merging than a nest can hold.
  static std::optional<LoopNest> Make(const Shape& shape,
                                      const std::vector<std::vector<int64_t>>& strides);

  // The same with the dims in the storage order of one of the operands.
  static std::optional<LoopNest> MakeInOrderOf(size_t operand,
                                               const Shape& shape,
                                               std::vector<std::vector<int64_t>> strides);

  // Calls visit(offsets of the operands) for each innermost loop, in row-major order.
  template <typename Visitor>
  void ForEachRow(Visitor&& visit) const {
    if (empty) return;
    std::array<int64_t, kMaxDims> index{};
    Offsets at{};
    while (true) {
      visit(at);
      size_t d = depth;
      while (d-- > 0) {
        for (size_t o = 0; o < kMaxOperands; ++o) at[o] += stride[d][o];
        if (++index[d] < size[d]) break;
        for (size_t o = 0; o < kMaxOperands; ++o) at[o] -= stride[d][o] * size[d];
        index[d] = 0;
      }
      if (d == static_cast<size_t>(-1)) return;
    }
  }

  // Offsets from one row to the next along the last outer dim.
  const Offsets& next_row() const { return stride[depth > 0 ? depth - 1 : 0]; }

  // Whether operand `a` has the same layout as operand `b`, and `b` is dense in loop order.
  bool Along(size_t a, size_t b) const;

  // Visits iterations [begin, end) of all innermost loops: visit(offsets of the operands, count,
  // rows) for `rows` consecutive rows along the last outer dim, or for a section of one. Offsets of
  // `along` operands are relative to iteration `begin`.
  template <typename Visitor>
  void ForEachRowIn(int64_t begin,
                    int64_t end,
                    const std::array<bool, kMaxOperands>& along,
                    Visitor&& visit) const {
    if (empty || begin >= end) return;
    std::array<int64_t, kMaxDims> index{};
    Offsets at{};
    int64_t row = begin / inner;
    int64_t skipped = begin - row * inner;  // in the first row
    for (size_t d = depth; d-- > 0 && row > 0; row /= size[d]) index[d] = row % size[d];
    for (size_t o = 0; o < kMaxOperands; ++o) {
      at[o] = skipped * inner_stride[o] - (along[o] ? begin : 0);
      for (size_t d = 0; d < depth; ++d) at[o] += index[d] * stride[d][o];
    }
    while (true) {
      const int64_t count = std::min(inner - skipped, end - begin);
      const size_t last = depth > 0 ? depth - 1 : 0;
      int64_t rows = 1;
      if (depth > 0 && count == inner)
        rows = std::min(size[last] - index[last], (end - begin) / inner);
      visit(at, count, rows);
      for (size_t o = 0; o < kMaxOperands; ++o) at[o] += rows * stride[last][o];
      begin += rows * count;
      if (begin >= end) return;
      for (size_t o = 0; skipped > 0 && o < kMaxOperands; ++o) at[o] -= skipped * inner_stride[o];
      skipped = 0;
      index[last] += rows;
      for (size_t d = last; d > 0 && index[d] == size[d]; --d) {
        for (size_t o = 0; o < kMaxOperands; ++o)
          at[o] += stride[d - 1][o] - stride[d][o] * size[d];
        index[d] = 0;
        ++index[d - 1];
      }
    }
  }
};

// The strides of an operand of shape `from` broadcast to `to` (NumPy rules), 0 along broadcast
// dims.
std::vector<int64_t> StretchedStrides(const Shape& from, const Shape& to);

}  // namespace metadist::cpu
