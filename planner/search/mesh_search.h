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
  // Everything the setting refers to must outlive the object.
  explicit MeshSearch(const SearchSetting& setting) : setting_(setting) {}

  // The cheapest plan of all meshes, at a tie that of the first mesh; no mesh if nothing fits.
  // Meshes that cannot improve on it are not solved, or not completely. share: of the remaining
  // time, for each mesh. Errors: those of MeshPlanner::Solve if no mesh has a plan.
  Result<BestPlan> Cheapest(std::optional<int64_t> limit_bytes, bool tied, double share = 1);

  // Improves the plan with all layers free, starting from one with tied layers or one found under a
  // smaller budget. Then solves the other meshes where that is quick, so that the bound holds over
  // all meshes.
  void Improve(BestPlan& best);

 private:
  void ImproveOn(size_t mesh, BestPlan& best);

  SearchSetting setting_;
};

}  // namespace metadist
