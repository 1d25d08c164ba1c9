// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/collective.h"

namespace metadist {

// For every rank, the rank whose block it takes in a permute: a one-to-one mapping, in which a rank
// that already holds its block keeps it.
// shape: global. Errors: kInternal if the step is no permutation of blocks: local shapes or partial
// axes differ, or the numbers of ranks that hold and need a block differ.
Result<std::vector<int64_t>> PermuteSources(const CollectiveStep& step,
                                            const Shape& shape,
                                            const Mesh& mesh);

}  // namespace metadist
