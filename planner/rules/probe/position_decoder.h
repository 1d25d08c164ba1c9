// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace metadist {

// Finds, bit by bit, the position of an input dim on which each output element depends, from what
// changes with the positions that have a bit set and with those that do not.
class PositionDecoder {
 public:
  // For an output of this many elements.
  explicit PositionDecoder(int64_t elements) : spelt_(static_cast<size_t>(elements)) {}

  // The element changed when the positions with (or without) the current bit did.
  void Changed(int64_t element, bool with_bit) {
    (with_bit ? spelt_[static_cast<size_t>(element)].with
              : spelt_[static_cast<size_t>(element)].without) = true;
  }
  // Called after all changes of bit `bit`. False: an element depends on several positions.
  bool EndBit(int bit) {
    for (Spelt& one : spelt_) {
      if (one.with && one.without) return false;
      (one.with || one.without ? one.seen : one.missed) = true;
      if (one.with) one.position |= int64_t{1} << bit;
      one.with = one.without = false;
    }
    return true;
  }
  // Calls visit(element, position). False: a position is incomplete or out of range.
  template <typename Visit>
  bool ForEach(int64_t positions, Visit visit) const {
    for (const Spelt& one : spelt_)
      if (one.seen && (one.missed || one.position >= positions)) return false;
    for (size_t i = 0; i < spelt_.size(); ++i)
      if (spelt_[i].seen) visit(static_cast<int64_t>(i), spelt_[i].position);
    return true;
  }

 private:
  struct Spelt {
    int64_t position = 0;
    bool with = false, without = false;  // changed with the positions with, without the current bit
    bool seen = false, missed = false;   // for any bit so far
  };
  std::vector<Spelt> spelt_;
};

}  // namespace metadist
