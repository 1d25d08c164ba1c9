// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/redistribute/all_shardings.h"

#include <algorithm>

namespace metadist {

std::vector<Sharding> AllShardings(const Shape& shape, const Mesh& mesh) {
  std::vector<Sharding> out;
  const auto go = [&](auto& self, std::vector<std::vector<int>> lists, size_t dim) -> void {
    Sharding sharding;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] % mesh.size(lists[d]) != 0) return;
      sharding.dims.push_back(lists[d].empty() ? DimSharding{}
                                               : DimSharding::Cut(shape[d], lists[d]));
    }
    out.push_back(Normalize(sharding, mesh));
    for (size_t d = dim; d < shape.size(); ++d)
      for (int axis = 0; axis < static_cast<int>(mesh.axes.size()); ++axis) {
        bool used = false;
        for (const auto& list : lists) used |= std::count(list.begin(), list.end(), axis) > 0;
        if (used) continue;
        auto longer = lists;
        longer[d].push_back(axis);
        self(self, longer, d);
      }
  };
  go(go, std::vector<std::vector<int>>(shape.size()), 0);
  return out;
}

}  // namespace metadist
