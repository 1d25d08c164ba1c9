// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "executor/cpu/loop_nest.h"
#include "executor/cpu/transposed_copy.h"

namespace metadist::cpu {

// A copy of an array of `shape` between two layouts: transposition, slicing, concatenation and
// expansion all reduce to this.
class StridedCopy {
 public:
  // Strides in elements along the dims of `shape`; begin: elements before the first.
  struct Side {
    std::vector<int64_t> strides;
    int64_t begin = 0;
  };
  static std::optional<StridedCopy> Make(const Shape& shape,
                                         int64_t item_bytes,
                                         const Side& from,
                                         const Side& to);
  void Run(const std::byte* from, std::byte* to) const;

 private:
  void TakeTransposition();
  void RunTransposed(const std::byte* from, std::byte* to) const;

  LoopNest nest_;  // operand 0 = source, 1 = destination, in elements
  // The innermost loops, which are then not part of the nest.
  std::optional<TransposedCopy> transposed_;
  int64_t item_ = 1;
  int64_t from_begin_ = 0;
  int64_t to_begin_ = 0;
};

}  // namespace metadist::cpu
