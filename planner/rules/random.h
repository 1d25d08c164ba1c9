// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace metadist {

// SplitMix64: a small generator with the same numbers on every machine.
// Source: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators".
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In [0, count); count > 0.
  int64_t Below(int64_t count) {
    return static_cast<int64_t>(Next() % static_cast<uint64_t>(count));
  }
  // In [0, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  // Bell-shaped around 0 with deviation 1: the sum of four uniform numbers, scaled.
  double Bell() {
    const uint64_t a = Next();
    const double sum = static_cast<double>(a & 0xffff) + static_cast<double>((a >> 16) & 0xffff) +
                       static_cast<double>((a >> 32) & 0xffff) + static_cast<double>(a >> 48);
    return (sum - 131070.0) * (1.7320508075688772 / 65536.0) + Uniform() * 1e-5;
  }

 private:
  uint64_t state_;
};

}  // namespace metadist
