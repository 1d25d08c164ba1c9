// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "metair/ir/result.h"
#include "metair/ir/shape.h"

namespace metadist {

// Vectors of attention heads, in one of two layouts: [batch, heads, sequence, size], or packed
// [batch, sequence, heads * size].
struct Heads {
  bool packed = false;
  int64_t batch = 0;
  int64_t heads = 0;
  int64_t sequence = 0;
  int64_t size = 0;

  Shape shape() const {
    return packed ? Shape{batch, sequence, heads * size} : Shape{batch, heads, sequence, size};
  }
  // Position of an element in the array.
  int64_t at(int64_t b, int64_t h, int64_t s, int64_t d) const {
    return packed ? ((b * sequence + s) * heads + h) * size + d
                  : ((b * heads + h) * sequence + s) * size + d;
  }
};

// shape: of 3 dims (packed) or 4. heads: number of packed heads; 0 = not stated, or not packed.
// name: of the attribute that states it. Errors: kBadInput if the number is needed but not stated,
// does not divide the last dim, or differs from the second of four dims.
Result<Heads> HeadsOf(const Shape& shape, int64_t heads, const std::string& name);

}  // namespace metadist
