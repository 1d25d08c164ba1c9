// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "metair/ir/shape.h"

namespace metadist {

// Element strides of an array of shape `from` read as if broadcast to `to` (0 along broadcast
// dims).
std::vector<int64_t> BroadcastStrides(const Shape& from, const Shape& to);

// Visits the elements of `shape` in row-major order: visit(linear index, offsets), where offsets[i]
// is the position in the i-th array, given its strides along the dims of `shape`. Offsets: a
// container of zeros, one for each array.
template <typename Strides, typename Offsets, typename Visitor>
void VisitIndices(const Shape& shape, const Strides& strides, Offsets offsets, Visitor&& visit) {
  const int64_t count = NumElements(shape);
  const size_t arrays = std::size(offsets);
  size_t outer = shape.empty() ? 0 : shape.size() - 1;
  while (outer > 0 && shape[outer] == 1) --outer;
  int64_t row = shape.empty() ? 1 : shape[outer];
  Offsets steps = offsets;  // along the last dim that is longer than 1
  for (size_t a = 0; a < arrays && !shape.empty(); ++a) steps[a] = strides[a][outer];
  // Dims along which every array goes on as along that one lengthen the row.
  const auto continues = [&](size_t d) {
    for (size_t a = 0; a < arrays; ++a)
      if (strides[a][d] != steps[a] * row) return false;
    return true;
  };
  while (outer > 0 && (shape[outer - 1] == 1 || continues(outer - 1))) row *= shape[--outer];
  std::vector<int64_t> index(outer, 0);
  for (int64_t i = 0; i < count;) {
    for (const int64_t end = i + row; i < end; ++i) {
      visit(i, offsets);
      for (size_t a = 0; a < arrays; ++a) offsets[a] += steps[a];
    }
    for (size_t a = 0; a < arrays; ++a) offsets[a] -= steps[a] * row;
    for (size_t d = outer; d-- > 0;) {
      for (size_t a = 0; a < arrays; ++a) offsets[a] += strides[a][d];
      if (++index[d] < shape[d]) break;
      for (size_t a = 0; a < arrays; ++a) offsets[a] -= strides[a][d] * shape[d];
      index[d] = 0;
    }
  }
}

// For a number of arrays known at compile time: offsets stay in registers.
template <size_t kArrays, typename Visitor>
void ForEachIndex(const Shape& shape,
                  const std::vector<int64_t> (&strides)[kArrays],
                  Visitor&& visit) {
  VisitIndices(shape, strides, std::array<int64_t, kArrays>{}, visit);
}

// For any number of arrays.
template <typename Visitor>
void ForEachIndex(const Shape& shape,
                  const std::vector<std::vector<int64_t>>& strides,
                  Visitor&& visit) {
  VisitIndices(shape, strides, std::vector<int64_t>(strides.size(), 0), visit);
}

}  // namespace metadist
