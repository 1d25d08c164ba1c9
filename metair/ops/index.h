// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "metair/ir/result.h"

namespace metadist {

// An index in [-size, size) to [0, size); kBadInput outside.
inline Result<int64_t> NormalizeIndex(int64_t index, int64_t size) {
  if (index < -size || index >= size)
    return BadInput("", fmt::format("index must be in [{}, {}], got {}", -size, size - 1, index));
  return index < 0 ? index + size : index;
}

}  // namespace metadist
