// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "metair/ir/result.h"
#include "planner/search/mesh_set.h"

namespace metadist {

// The cheapest plan over all meshes.
class MeshSearch {
 public:
  // What the setting refers to must outlive the object.
  explicit MeshSearch(const SearchSetting& setting) : setting_(setting) {}

  // The cheapest plan of all meshes, of equal ones that of the first mesh; none where nothing fits.
  // Meshes that are known to hold nothing cheaper are not solved, or not to the end. share: of the
  // time left, for each mesh.  Errors: those of MeshPlanner::Solve where no mesh has a plan.
  Result<BestPlan> Cheapest(std::optional<int64_t> limit_bytes, bool tied, double share = 1);

  // With all layers free, from the plan of alike layers, or from one that was found under a smaller
  // budget. Then the other meshes, so that the bound is one over all of them, where that is quick.
  void Improve(BestPlan& best);

 private:
  void ImproveOn(size_t mesh, BestPlan& best);

  SearchSetting setting_;
};

}  // namespace metadist
