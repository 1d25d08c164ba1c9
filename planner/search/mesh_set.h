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

// The meshes of a request, one problem each, and proven bounds of the plans on them.
class MeshSet {
 public:
  // Formulates one problem per mesh, on all threads. A mesh that lacks axes named by a constraint
  // is left out. Errors: those of Formulate, for the requested mesh or if all of them fail.
  static Result<MeshSet> Make(const PlanRequest& request, const RequestClock& clock);

  size_t size() const { return meshes_.size(); }
  MeshPlanner& at(size_t mesh) const { return *meshes_[mesh].planner; }
  bool has_ties() const;
  // The only one to search under the limit, if the request says so.
  std::optional<size_t> searched() const { return searched_; }
  // Total time spent on routes while formulating.
  RouteEffort effort() const;

  // Lower bound of all plans within the limit: on that mesh, and on all of them. kNothingFits if
  // there are provably none. tied: repeated layers tied.
  int64_t BoundOf(size_t mesh, bool tied) const;
  int64_t Bound(bool tied) const;
  // The meshes in order of that bound; a good plan on an early mesh saves solving later ones.
  std::vector<size_t> BestFirst(bool tied) const;

  // Records the bounds of an attempt.
  void Note(size_t mesh, bool tied, const Attempt& attempt);
  // Why the last attempt that stopped early did; "" if none did.
  const std::string& stopped_by() const { return stopped_by_; }

 private:
  struct Entry {
    std::unique_ptr<MeshPlanner> planner;
    int64_t alike = 0;  // bound with repeated layers tied, at least that with all layers free
    int64_t free = 0;
  };

  std::vector<Entry> meshes_;
  std::optional<size_t> searched_;
  std::string stopped_by_;
};

// The best plan so far, and its mesh.
struct BestPlan {
  std::optional<size_t> mesh;  // nullopt: there is no plan
  LoweredChoice candidate;
};

// Data that the parts of a search share.
struct SearchSetting {
  const PlanRequest& request;
  const RequestClock& clock;
  const SolverDef& solver;
  int64_t limit_bytes = 0;
  MeshSet& meshes;
};

}  // namespace metadist
