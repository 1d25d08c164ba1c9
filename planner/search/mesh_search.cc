// SPDX-License-Identifier: Apache-2.0
#include "planner/search/mesh_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "planner/search/effort.h"

namespace metadist {
namespace {

// For progress output.
std::string MeshDetail(const MeshPlanner& planner, bool tied) {
  std::string mesh = fmt::format("mesh {}", MeshText(planner.mesh()));
  if (!planner.has_ties()) return mesh;
  return fmt::format(
      "{}, {}", mesh, tied ? "identical layers share one sharding" : "every layer free");
}

// Whether a plan of `cost` on mesh `mesh` replaces the best.
bool Replaces(int64_t cost, size_t mesh, const BestPlan& best) {
  return !best.mesh || std::pair(cost, mesh) <= std::pair(best.candidate.cost, *best.mesh);
}

}  // namespace

Result<BestPlan> MeshSearch::Cheapest(std::optional<int64_t> limit_bytes, bool tied, double share) {
  const RequestClock& clock = setting_.clock;
  MeshSet& meshes = setting_.meshes;
  BestPlan best;
  std::optional<Error> failure;
  for (const size_t mesh : meshes.BestFirst(tied)) {
    MeshPlanner& planner = meshes.at(mesh);
    if (limit_bytes && meshes.searched().value_or(mesh) != mesh) continue;
    std::optional<int64_t> cutoff;
    if (best.mesh) {
      cutoff = best.candidate.cost + (mesh < *best.mesh ? 1 : 0);
      if (meshes.BoundOf(mesh, tied) >= *cutoff) continue;
    }
    SolveOptions options = clock.Options(clock.SolveWork(), MeshDetail(planner, tied), share);
    // Bounds without the limit are reused under the limit, so there is no cutoff.
    if (limit_bytes) options.cutoff = cutoff;
    auto solved = planner.Solve(limit_bytes, tied, setting_.solver, options);
    if (!solved.ok()) {
      failure = std::move(solved).error();
      if (failure->code == ErrorCode::kInternal) return std::move(*failure);
      continue;
    }
    Attempt attempt = std::move(solved).value();
    meshes.Note(mesh, tied, attempt);
    if (attempt.candidate && Replaces(attempt.candidate->cost, mesh, best))
      best = {mesh, std::move(*attempt.candidate)};
  }
  if (!best.mesh && failure) return std::move(*failure);
  return best;
}

void MeshSearch::Improve(BestPlan& best) {
  const size_t first = *best.mesh;
  const MeshSet& meshes = setting_.meshes;
  if (meshes.at(first).edge_entries() <= kImproveEntries) ImproveOn(first, best);
  for (const size_t mesh : meshes.BestFirst(/*tied=*/false))
    if (mesh != first && meshes.at(mesh).edge_entries() <= kProveEntries) ImproveOn(mesh, best);
}

void MeshSearch::ImproveOn(size_t mesh, BestPlan& best) {
  MeshSet& meshes = setting_.meshes;
  if (setting_.clock.Over() || meshes.BoundOf(mesh, /*tied=*/false) >= best.candidate.cost) return;
  MeshPlanner& planner = meshes.at(mesh);
  const int64_t work = std::max(kImproveWork, kImprovePerEntry * planner.edge_entries());
  SolveOptions options = setting_.clock.Options(work, MeshDetail(planner, /*tied=*/false));
  if (mesh == *best.mesh)
    options.initial = best.candidate.choice;
  else
    options.cutoff = best.candidate.cost;
  auto solved = planner.Solve(setting_.limit_bytes, /*tied=*/false, setting_.solver, options);
  if (!solved.ok()) return;
  meshes.Note(mesh, /*tied=*/false, solved.value());
  if (solved.value().candidate && solved.value().candidate->cost < best.candidate.cost)
    best = {mesh, std::move(*solved.value().candidate)};
}

}  // namespace metadist
