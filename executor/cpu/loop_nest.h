// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "metair/ir/shape.h"

namespace metadist::cpu {

inline constexpr size_t kMaxOperands = 4;
inline constexpr size_t kMaxDims = 8;

// Loops over a shape with up to four operands, each with strides of its own. Dims that every
// operand walks evenly are merged, so most calls become one or two loops.
struct LoopNest {
  using Offsets = std::array<int64_t, kMaxOperands>;

  size_t depth = 0;  // outer dims
  std::array<int64_t, kMaxDims> size{};
  std::array<Offsets, kMaxDims> stride{};
  int64_t inner = 1;  // length of the innermost loop
  Offsets inner_stride{};
  bool empty = false;

  // strides: per operand, one stride per dim of `shape`, in whatever unit the caller uses.
  // nullopt: more dims remain after merging than a nest holds.
  static std::optional<LoopNest> Make(const Shape& shape,
                                      const std::vector<std::vector<int64_t>>& strides);

  // visit(offsets of the operands) once for each innermost loop, in row-major order.
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
};

// The strides of an operand of shape `from` broadcast to `to` (NumPy rules), 0 along stretched
// dims.
std::vector<int64_t> StretchedStrides(const Shape& from, const Shape& to);

}  // namespace metadist::cpu
