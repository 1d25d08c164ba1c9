// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

// Philox4x32-10: 128 random bits as a function of a 128-bit counter and a 64-bit key. It has no
// state, so any part of a stream can be generated anywhere, in any order.
// Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel Random Numbers: As Easy as 1, 2, 3".
namespace metadist {

struct PhiloxKey {
  uint32_t low = 0;
  uint32_t high = 0;
};
using PhiloxBlock = std::array<uint32_t, 4>;

// The start of a line's random stream. A line is a set of elements that differ only in the last
// dim. Two adjacent elements share a counter, 64 bits each.
struct RandomLine {
  PhiloxKey key;
  std::array<uint32_t, 3> outer = {};  // positions in the dims before the last, innermost first
  int64_t first = 0;                   // position of the first element in the last dim
};

namespace philox {

inline constexpr int kLanes = 16;  // counters processed at once, so that loops vectorise

// Applies the rounds to each of kLanes counters, in place.
[[gnu::always_inline]] inline void Rounds(
    PhiloxKey key, uint32_t* x0, uint32_t* x1, uint32_t* x2, uint32_t* x3) {
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t a = uint64_t{0xD2511F53} * x0[i];
      const uint64_t b = uint64_t{0xCD9E8D57} * x2[i];
      x0[i] = static_cast<uint32_t>(b >> 32) ^ x1[i] ^ key.low;
      x1[i] = static_cast<uint32_t>(b);
      x2[i] = static_cast<uint32_t>(a >> 32) ^ x3[i] ^ key.high;
      x3[i] = static_cast<uint32_t>(a);
    }
    key.low += 0x9E3779B9;
    key.high += 0xBB67AE85;
  }
}

// 64 bits for each of `count` elements. Call it from a function of plain loops, which may be
// compiled for several instruction sets: all give the same bits.
[[gnu::always_inline]] inline void FillLine(const RandomLine& line, int64_t count, uint64_t* bits) {
  for (int64_t done = 0; done < count;) {
    const int64_t at = line.first + done;
    const int64_t skip = at & 1;
    uint32_t x0[kLanes], x1[kLanes], x2[kLanes], x3[kLanes];
    for (int i = 0; i < kLanes; ++i) {
      x0[i] = static_cast<uint32_t>((at >> 1) + i);
      x1[i] = line.outer[0];
      x2[i] = line.outer[1];
      x3[i] = line.outer[2];
    }
    Rounds(line.key, x0, x1, x2, x3);
    uint64_t made[2 * kLanes];
    for (int i = 0; i < kLanes; ++i) {
      made[2 * i] = uint64_t{x1[i]} << 32 | x0[i];
      made[2 * i + 1] = uint64_t{x3[i]} << 32 | x2[i];
    }
    const int64_t taken = std::min(2 * kLanes - skip, count - done);
    std::copy_n(made + skip, taken, bits + done);
    done += taken;
  }
}

}  // namespace philox

// The random bits of one counter.
PhiloxBlock Philox(PhiloxBlock counter, PhiloxKey key);

}  // namespace metadist
