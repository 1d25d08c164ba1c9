// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/shape.h"

namespace metadist {

// Element strides of an array of shape `from` read as if broadcast to `to` (0 along stretched
// dims).
std::vector<int64_t> BroadcastStrides(const Shape& from, const Shape& to);

// Visits the elements of `shape` in row-major order: visit(linear index, offsets), where offsets[i]
// is the position in the i-th array, given its strides along the dims of `shape`.
template <typename Visitor>
void ForEachIndex(const Shape& shape,
                  const std::vector<std::vector<int64_t>>& strides,
                  Visitor&& visit) {
  const int64_t count = NumElements(shape);
  std::vector<int64_t> index(shape.size(), 0);
  std::vector<int64_t> offsets(strides.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(i, offsets);
    for (size_t d = shape.size(); d-- > 0;) {
      for (size_t a = 0; a < strides.size(); ++a) offsets[a] += strides[a][d];
      if (++index[d] < shape[d]) break;
      for (size_t a = 0; a < strides.size(); ++a) offsets[a] -= strides[a][d] * shape[d];
      index[d] = 0;
    }
  }
}

}  // namespace metadist
