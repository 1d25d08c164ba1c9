// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ir/split_mix.h"

namespace metadist {

// A small generator that gives the same numbers on every machine.
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}

  uint64_t Next() { return SplitMixBits(state_ += kSplitMixStep); }
  // In [0, count); count > 0.
  int64_t Below(int64_t count) {
    return static_cast<int64_t>(Next() % static_cast<uint64_t>(count));
  }
  // In [0, 1).
  double Uniform() { return static_cast<double>(static_cast<int64_t>(Next() >> 11)) * 0x1p-53; }
  // Bell-shaped around 0 with deviation 1: the sum of three uniform numbers, scaled.
  double Bell() { return Bell(Next()); }
  // The same, from the given random bits.
  static double Bell(uint64_t bits) {
    constexpr uint64_t kMask = (uint64_t{1} << 20) - 1;
    const uint64_t sum = (bits >> 44) + ((bits >> 24) & kMask) + ((bits >> 4) & kMask);
    // All bits contribute a little, so that all numbers differ. Signed integers are faster to
    // convert.
    return (static_cast<double>(static_cast<int64_t>(sum)) - 1.5 * (1 << 20)) * (2.0 / (1 << 20)) +
           static_cast<double>(static_cast<int64_t>(bits >> 1)) * (0x1p-63 * 1e-5);
  }

 private:
  uint64_t state_;
};

}  // namespace metadist
