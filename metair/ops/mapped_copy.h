// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/tensor.h"

namespace metadist {

// to[i0, i1, ...] = from[maps[0][i0], maps[1][i1], ...], in row-major order. maps[d] has an index
// for each position along dim d of `to`, or -1: elements with such an index are left unchanged.
// Both tensors have the same element size.
void CopyMapped(const Tensor& from, const std::vector<std::vector<int64_t>>& maps, Tensor& to);

}  // namespace metadist
