// SPDX-License-Identifier: Apache-2.0
#include "planner/search/solver_report.h"

#include <algorithm>
#include <string>

namespace metadist {
namespace {

// The plan solves several problems: repeated layers tied or free, on this mesh or all. Reports the
// most general of those with the highest bound.
void SetBound(const MeshSet& meshes, const BestPlan& best, SolverReport& out) {
  const int64_t alike = std::min(meshes.Bound(/*tied=*/true), out.cost);
  const int64_t free = std::min(meshes.Bound(/*tied=*/false), out.cost);
  const int64_t here = std::min(meshes.BoundOf(*best.mesh, /*tied=*/false), out.cost);
  out.free_bound = free;
  if (best.candidate.tied && alike > free) {
    out.problem = kLayersAlike;
    out.bound = alike;
  } else {
    out.problem = here > free ? kLayersFreeHere : kLayersFree;
    out.bound = here;
  }
}

std::string StoppedBy(const SearchSetting& setting, const LoweredChoice& candidate) {
  if (!candidate.stopped_by.empty()) return candidate.stopped_by;
  if (setting.clock.Interrupted()) return "interrupt";
  return setting.clock.SecondsLeft() <= 0 ? "time" : setting.meshes.stopped_by();
}

}  // namespace

SolverReport ReportOf(const SearchSetting& setting, const BestPlan& best) {
  const LoweredChoice& c = best.candidate;
  const Formulation& f = setting.meshes.at(*best.mesh).formulation();
  SolverReport out;
  out.solver = setting.request.choose ? "a given choice" : std::string(setting.solver.name);
  out.cost = c.cost;
  SetBound(setting.meshes, best, out);
  // Even without a solver's bound, every node and edge at its cheapest is a bound.
  const bool bounded = setting.solver.optimizes && (out.bound > 0 || c.cost == 0);
  const SolveStatus proven = out.bound == c.cost ? SolveStatus::kOptimal : SolveStatus::kGap;
  const SolveStatus status = bounded ? proven : SolveStatus::kHeuristic;
  out.status = std::string(SolveStatusName(status));
  if (out.bound < c.cost && bounded)
    out.gap = static_cast<double>(c.cost - out.bound) / static_cast<double>(c.cost);
  out.nodes = static_cast<int64_t>(f.problem.nodes.size());
  out.strategies = f.num_strategies();
  out.pruned = f.pruned;
  out.reduced_nodes = c.reduced.nodes;
  out.reduced_edges = c.reduced.edges;
  out.reduced_entries = c.reduced.entries;
  out.deletions = c.deletions;
  if (status == SolveStatus::kGap) out.stopped_by = StoppedBy(setting, c);
  return out;
}

}  // namespace metadist
