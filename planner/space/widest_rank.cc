// SPDX-License-Identifier: Apache-2.0
#include "planner/space/widest_rank.h"

#include <vector>

namespace metadist {

int64_t WidestRank(const CallLayout& layout, const Mesh& mesh) {
  std::vector<int64_t> coordinate(mesh.axes.size(), 0);
  for (const std::span<const Sharding> shardings : {layout.inputs, layout.outputs})
    for (const Sharding& sharding : shardings)
      for (const DimSharding& dim : sharding.dims)
        if (!Halo{dim.halo.before, dim.halo.behind, dim.halo.of}.empty() && !dim.whole())
          coordinate[static_cast<size_t>(dim.parts[0].sub[0].axes.back())] = 1;
  return mesh.RankOf(coordinate);
}

}  // namespace metadist
