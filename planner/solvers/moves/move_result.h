// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace metadist {

// What a move at fixed prices did.
struct MoveResult {
  // By how much costs plus penalties fell; >= 0, rounding apart.
  double gain = 0;
  // Table entries touched.
  int64_t work = 0;
};

}  // namespace metadist
