// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/collective.h"

namespace metadist {

// For every rank, the rank whose block it takes in a permute: a one-to-one mapping of the ranks, in
// which a rank that holds its block already keeps it.
// shape: global. Errors: kInternal where the step is no permute of blocks: other local shapes,
// other partial axes, or a block that more ranks want than hold.
Result<std::vector<int64_t>> PermuteSources(const CollectiveStep& step,
                                            const Shape& shape,
                                            const Mesh& mesh);

}  // namespace metadist
