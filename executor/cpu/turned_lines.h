// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace metadist::cpu {

// Squares of uint32_t or uint64_t whose rows are whole cache lines: with AVX-512, each line is
// stored at once, so the processor need not fetch the line it overwrites. Call only if the
// processor has AVX-512F.
template <typename T>
struct LineSquare {
  static constexpr int64_t kSide = 64 / sizeof(T);
  // See TurnSquare.
  static void Turn(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step);
};

}  // namespace metadist::cpu
