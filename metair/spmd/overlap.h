// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// How many indices of a dim of `size` two ranks have in common: the one that holds its piece of
// `a`, and the one at `there` that holds its piece of `b`. A halo counts, a spare element does not.
int64_t CommonIndices(const DimSharding& a,
                      const std::vector<int64_t>& here,
                      const DimSharding& b,
                      const std::vector<int64_t>& there,
                      int64_t size,
                      const Mesh& mesh);

}  // namespace metadist
