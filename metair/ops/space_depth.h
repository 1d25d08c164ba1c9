// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_def.h"

// Shared by operators that exchange spatial blocks, [n, c, h, w], for channels.
namespace metadist {

// Attribute blocksize of a call with a valid input. Errors: kBadInput unless it is positive.
Result<int64_t> BlockSizeOf(const OpCall& call);

// to = from reshaped to `split` (row-major), with its dims permuted by `permutation`.
void CopyPermuted(const Tensor& from,
                  const Shape& split,
                  const std::vector<size_t>& permutation,
                  Tensor& to);

}  // namespace metadist
