// SPDX-License-Identifier: Apache-2.0
#include "planner/search/least_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "planner/search/effort.h"

namespace metadist {
namespace {

class LeastMemorySearch {
 public:
  LeastMemorySearch(const SearchSetting& setting, const BestPlan& free)
      : setting_(setting), least_(free) {}

  Result<BestPlan> Run() {
    const MeshSet& meshes = setting_.meshes;
    int64_t bound = kNothingFits;
    for (size_t mesh = 0; mesh < meshes.size(); ++mesh) {
      LeastPeak found = TRY(meshes.at(mesh).FindLeastPeak(setting_.clock.Options(
          kLeastPeakWork,
          fmt::format("least memory on mesh {}", MeshText(meshes.at(mesh).mesh())))));
      bound = std::min(bound, found.bound);
      Keep(mesh, std::move(found.candidate));
    }
    for (size_t mesh = 0; mesh < meshes.size(); ++mesh) Shrink(mesh, bound);
    if (!fits_.mesh) return NothingFits(bound);
    // Found under a smaller budget than the limit, so its proof does not apply to the limit.
    if (setting_.solver.optimizes) fits_.candidate.status = SolveStatus::kGap;
    return std::move(fits_);
  }

 private:
  int64_t LeastPeakBytes() const { return least_.candidate.memory.peak_bytes(); }

  // The candidate replaces `least_` if its program needs less memory, and `fits_` if it observes
  // the limit and is cheaper.
  void Keep(size_t mesh, LoweredChoice candidate) {
    const int64_t peak = candidate.memory.peak_bytes();
    if (peak <= setting_.limit_bytes && (!fits_.mesh || candidate.cost < fits_.candidate.cost))
      fits_ = {mesh, candidate};
    if (!least_.mesh || peak < LeastPeakBytes()) least_ = {mesh, std::move(candidate)};
  }

  // The least peak of the problem does not count copies between nodes, so its program may need more
  // than one that was chosen for its cost under a budget. Budgets between the bound and the least
  // peak are tried by bisection; the same ones whatever the limit, so that the budget named in an
  // error works when it is given.
  void Shrink(size_t mesh, int64_t bound) {
    MeshPlanner& planner = setting_.meshes.at(mesh);
    if (planner.edge_entries() > kImproveEntries) return;
    int64_t low = bound;
    for (int step = 0; step < kShrinkSteps && !setting_.clock.Interrupted(); ++step) {
      const int64_t high = LeastPeakBytes();
      if (high - low <= high / 400) return;
      const int64_t budget = low + (high - low) / 2;
      const SolveOptions options = setting_.clock.Options(
          kShrinkWork,
          fmt::format("budget of {} bytes on mesh {}", budget, MeshText(planner.mesh())));
      auto found = planner.Solve(budget, /*tied=*/true, setting_.solver, options);
      if (planner.has_ties() && (!found.ok() || !found.value().candidate))
        found = planner.Solve(budget, /*tied=*/false, setting_.solver, options);
      if (found.ok() && found.value().candidate)
        Keep(mesh, *std::move(found).value().candidate);
      else
        low = budget;
    }
  }

  Error NothingFits(int64_t bound) const {
    const int64_t peak = LeastPeakBytes();
    const int64_t limit = setting_.limit_bytes;
    if (setting_.request.least != nullptr) *setting_.request.least = {peak, bound};
    return {ErrorCode::kInfeasible,
            "",
            fmt::format("no plan {} in {} bytes per device: the smallest budget "
                        "found to work is {} bytes, and less than {} bytes is proven too "
                        "little",
                        limit < bound ? "fits" : "was found that fits",
                        limit,
                        peak,
                        bound),
            fmt::format("give `--memory {}` or more devices", peak),
            {}};
  }

  const SearchSetting& setting_;
  BestPlan least_;  // whose program needs the least memory
  BestPlan fits_;   // the cheapest that observes the limit
};

}  // namespace

Result<BestPlan> SmallestThatFits(const SearchSetting& setting, const BestPlan& free) {
  return LeastMemorySearch(setting, free).Run();
}

}  // namespace metadist
