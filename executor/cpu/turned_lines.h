// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace metadist::cpu {

// Squares whose rows are whole cache lines of uint32_t or uint64_t: with AVX-512, each line is
// stored at once, so that the machine need not fetch what is overwritten. Only to be called where
// the processor has AVX-512F.
template <typename T>
struct LineSquare {
  static constexpr int64_t kSide = 64 / sizeof(T);
  // As TurnSquare does.
  static void Turn(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step);
};

}  // namespace metadist::cpu
