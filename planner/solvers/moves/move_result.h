// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace metadist {

// The result of a move at fixed prices.
struct MoveResult {
  // Decrease of costs plus penalties; >= 0, apart from rounding.
  double gain = 0;
  // Table entries touched.
  int64_t work = 0;
};

}  // namespace metadist
