// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/ir/check.h"

namespace metadist::cpu {

// Calls visit(T()) with the unsigned integer of `bytes` bytes, for loops that only move elements.
// Every element type has 1, 2, 4 or 8 bytes.
template <typename Visitor>
auto VisitItem(int64_t bytes, Visitor&& visit) {
  switch (bytes) {
    case 1:
      return visit(uint8_t());
    case 2:
      return visit(uint16_t());
    case 4:
      return visit(uint32_t());
    default:
      CHECK(bytes == 8, "an element of another size");
      return visit(uint64_t());
  }
}

}  // namespace metadist::cpu
