// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metair/ir/result.h"
#include "planner/redistribute/redistribute.h"
#include "planner/search/lowered_choice.h"
#include "planner/search/mesh_planner.h"
#include "planner/search/plan_request.h"
#include "planner/search/request_clock.h"

namespace metadist {

// The meshes of a request, one problem each, and what is proven of the plans on them.
class MeshSet {
 public:
  // One problem per mesh, on all threads. A mesh that lacks axes that a constraint names is left
  // out. Errors: those of Formulate, of a mesh that was asked for or of all of them.
  static Result<MeshSet> Make(const PlanRequest& request, const RequestClock& clock);

  size_t size() const { return meshes_.size(); }
  MeshPlanner& at(size_t mesh) const { return *meshes_[mesh].planner; }
  bool has_ties() const;
  // Of formulating.
  RouteEffort effort() const;

  // No plan that keeps the limit costs less: on that mesh, and on all of them. kNothingFits if that
  // is proven. tied: repeated layers alike.
  int64_t BoundOf(size_t mesh, bool tied) const;
  int64_t Bound(bool tied) const;
  // The meshes by that bound; the first good plan spares those behind it.
  std::vector<size_t> BestFirst(bool tied) const;

  // Takes what an attempt has proven.
  void Note(size_t mesh, bool tied, const Attempt& attempt);
  // What kept the last attempt that was kept from more; "" if none was.
  const std::string& stopped_by() const { return stopped_by_; }

 private:
  struct Entry {
    std::unique_ptr<MeshPlanner> planner;
    int64_t alike = 0;  // bound with repeated layers alike; all layers free is a wider choice
    int64_t free = 0;
  };

  std::vector<Entry> meshes_;
  std::string stopped_by_;
};

// The best plan so far, and on which of the meshes.
struct BestPlan {
  std::optional<size_t> mesh;  // none: there is no plan
  LoweredChoice candidate;
};

// What the parts of a search share.
struct SearchSetting {
  const PlanRequest& request;
  const RequestClock& clock;
  const SolverDef& solver;
  int64_t limit_bytes = 0;
  MeshSet& meshes;
};

}  // namespace metadist
