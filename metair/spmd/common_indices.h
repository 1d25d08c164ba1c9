// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// The number of indices of a dim of `size` that two ranks share: the rank at coordinate `here`
// holds its piece of `a`, the rank at `there` its piece of `b`. Halos count, spare elements do not.
int64_t CommonIndices(const DimSharding& a,
                      const std::vector<int64_t>& here,
                      const DimSharding& b,
                      const std::vector<int64_t>& there,
                      int64_t size,
                      const Mesh& mesh);

}  // namespace metadist
