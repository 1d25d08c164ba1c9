// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ops/op_def.h"

// What the operators share that trade blocks of space, [n, c, h, w], for channels.
namespace metadist {

// Attribute blocksize of a call with a good input. Errors: kBadInput unless it is positive.
Result<int64_t> BlockSizeOf(const OpCall& call);

// to = from, seen as `split` (row-major), with its dims in the order `permutation`.
void CopyPermuted(const Tensor& from,
                  const Shape& split,
                  const std::vector<size_t>& permutation,
                  Tensor& to);

}  // namespace metadist
