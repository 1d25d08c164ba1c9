// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metair/ir/shape.h"

namespace metadist::cpu {

// A copy y[i0, i1, ...] = x[maps[0][i0], maps[1][i1], ...] of dense arrays: padding, repetition and
// nearest-element selection. An index of -1 marks a position to fill.
class MappedCopy {
 public:
  // from: the shape of x; maps: one list per dim of x, with one index for each position of y.
  static MappedCopy Make(const Shape& from,
                         std::vector<std::vector<int64_t>> maps,
                         int64_t item_bytes);
  // fill: one item.
  void Run(const std::byte* from, std::byte* to, const std::byte* fill) const;

 private:
  struct Dim {
    std::vector<int64_t> map;
    int64_t from_bytes = 0;  // from one index to the next
    int64_t to_bytes = 0;
  };
  // A contiguous piece in both arrays, or a stretch to fill (from < 0), of the last dim.
  struct Piece {
    int64_t from = 0, to = 0, bytes = 0;
  };
  void Walk(size_t d, const std::byte* from, std::byte* to, const std::byte* fill) const;
  void CopyRow(const std::byte* from, std::byte* to, const std::byte* fill) const;

  std::vector<Dim> dims_;
  std::vector<Piece> pieces_;  // of the last dim; empty if they would be short
  int64_t item_ = 1;           // bytes of one item
};

}  // namespace metadist::cpu
