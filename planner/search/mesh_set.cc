// SPDX-License-Identifier: Apache-2.0
#include "planner/search/mesh_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "metair/ir/parallel.h"
#include "planner/search/meshes.h"

namespace metadist {
namespace {

using MadePlanner = std::optional<Result<std::unique_ptr<MeshPlanner>>>;

// Empty entries after an interrupt.
std::vector<MadePlanner> MakePlanners(const PlanRequest& request,
                                      const RequestClock& clock,
                                      const std::vector<Mesh>& meshes) {
  std::vector<MadePlanner> made(meshes.size());
  ParallelFor(meshes.size(), request.threads, [&](size_t i) {
    if (i == 0 || !clock.Interrupted())
      made[i].emplace(MeshPlanner::Make(request, request.cluster, meshes[i]));
  });
  return made;
}

}  // namespace

Result<MeshSet> MeshSet::Make(const PlanRequest& request, const RequestClock& clock) {
  const std::vector<Mesh> meshes =
      request.mesh ? std::vector{*request.mesh} : MeshesFor(request.cluster);
  clock.Report("formulate",
               meshes.size() == 1 ? fmt::format("mesh {}", MeshText(meshes[0]))
                                  : fmt::format("{} meshes", meshes.size()));
  MeshSet out;
  std::optional<Error> refused;
  for (MadePlanner& made : MakePlanners(request, clock, meshes)) {
    if (!made) continue;
    if (made->ok()) {
      std::unique_ptr<MeshPlanner> planner = std::move(*made).value();
      const int64_t bound = planner->simple_bound();
      if (request.searched_mesh == planner->mesh()) out.searched_ = out.size();
      out.meshes_.push_back({std::move(planner), bound, bound});
      continue;
    }
    // A constraint may name axes that only some of the meshes have.
    if (request.mesh || made->error().code != ErrorCode::kUsage) return std::move(*made).error();
    if (!refused) refused = std::move(*made).error();
  }
  if (out.meshes_.empty()) return std::move(*refused);
  return out;
}

bool MeshSet::has_ties() const {
  return std::ranges::any_of(meshes_, [](const Entry& one) { return one.planner->has_ties(); });
}

RouteEffort MeshSet::effort() const {
  RouteEffort effort;
  for (const Entry& entry : meshes_) effort += entry.planner->effort();
  return effort;
}

int64_t MeshSet::BoundOf(size_t mesh, bool tied) const {
  return tied ? meshes_[mesh].alike : meshes_[mesh].free;
}

int64_t MeshSet::Bound(bool tied) const {
  int64_t bound = kNothingFits;
  for (size_t mesh = 0; mesh < size(); ++mesh) bound = std::min(bound, BoundOf(mesh, tied));
  return bound;
}

std::vector<size_t> MeshSet::BestFirst(bool tied) const {
  std::vector<size_t> order(size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](size_t mesh) { return BoundOf(mesh, tied); });
  return order;
}

void MeshSet::Note(size_t mesh, bool tied, const Attempt& attempt) {
  Entry& entry = meshes_[mesh];
  entry.alike = std::max(entry.alike, attempt.bound);
  if (!tied || !entry.planner->has_ties()) entry.free = std::max(entry.free, attempt.bound);
  if (!attempt.stopped_by.empty()) stopped_by_ = attempt.stopped_by;
}

}  // namespace metadist
