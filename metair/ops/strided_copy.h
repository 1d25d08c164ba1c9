// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_def.h"

// Shared by operators that only move elements, whatever their type.
namespace metadist {

// A walk over the elements of an array: the element at index i of shape `shape` is
// array[offset + sum strides[d] i[d]]. Strides may be 0 or negative.
struct StridedView {
  int64_t offset = 0;
  std::vector<int64_t> strides;
};

// to[to_view(i)] = from[from_view(i)] for all i in `shape`. Both tensors have the same element
// size; the views must stay inside the arrays.
void CopyStrided(const Shape& shape,
                 const Tensor& from,
                 const StridedView& from_view,
                 Tensor& to,
                 const StridedView& to_view);

// The same, filling all of `to` in row-major order.
void GatherStrided(const Tensor& from, const StridedView& from_view, Tensor& to);

// Copies all bytes. Both tensors have equally many.
void CopyBytes(const Tensor& from, Tensor& to);

}  // namespace metadist
