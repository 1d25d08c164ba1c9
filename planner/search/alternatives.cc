// SPDX-License-Identifier: Apache-2.0
#include "planner/search/alternatives.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "planner/search/effort.h"
#include "planner/simulate/simulate.h"

namespace metadist {
namespace {

Alternative RowOf(const SearchSetting& setting,
                  std::string name,
                  const LoweredChoice& candidate,
                  const Cluster& cluster) {
  const Prediction p = Simulate(candidate.program, cluster, *setting.request.ops);
  const int64_t peak = p.memory.peak_bytes();
  return {std::move(name), p.step.seconds, peak, peak <= setting.limit_bytes, ""};
}

// The best plan of a restricted space, on one mesh; nullopt if there is none.
std::optional<Alternative> Restricted(const SearchSetting& setting,
                                      std::string name,
                                      const Cluster& cluster,
                                      PlanTemplate plan_template) {
  PlanRequest request = setting.request;
  request.constraints.clear();
  const Mesh mesh{{{"a", cluster.devices()}}};
  auto planner = MeshPlanner::Make(request, cluster, mesh, plan_template);
  if (!planner.ok()) return std::nullopt;
  SolveOptions options = setting.clock.Options(kImproveWork, fmt::format("alternative: {}", name));
  options.gap = 0;
  options.progress = nullptr;
  auto solved = planner.value()->Solve(std::nullopt, /*tied=*/true, DefaultSolver(), options);
  if (!solved.ok() || !solved.value().candidate) return std::nullopt;
  return RowOf(setting, std::move(name), *solved.value().candidate, cluster);
}

// Whether some input can be cut along its first dim over all devices.
bool SomeInputCuts(const PlanRequest& request) {
  for (const ValueId id : request.graph->inputs) {
    const Shape& shape = request.graph->value(id).type.shape;
    if (!shape.empty() && shape[0] >= request.cluster.devices()) return true;
  }
  return false;
}

std::optional<Alternative> DataParallel(const SearchSetting& setting) {
  const Cluster& cluster = setting.request.cluster;
  const char* name = "data parallel only";
  if (SomeInputCuts(setting.request))
    return Restricted(setting, name, cluster, PlanTemplate::kDataParallel);
  return Alternative{
      .name = name,
      .note = fmt::format("no input can be cut into {} along its first dim", cluster.devices())};
}

// The plan is also one without a limit, and may be the best known.
Alternative Unlimited(const SearchSetting& setting, const BestPlan& free, const Plan& plan) {
  Alternative row = RowOf(setting, "no memory limit", free.candidate, setting.request.cluster);
  if (row.step_seconds <= plan.prediction.step.seconds) return row;
  row.step_seconds = plan.prediction.step.seconds;
  row.peak_bytes = plan.peak_bytes();
  row.feasible = true;
  return row;
}

}  // namespace

std::vector<Alternative> AlternativesTo(const Plan& plan,
                                        const SearchSetting& setting,
                                        const BestPlan& free) {
  std::vector<Alternative> rows;
  const Cluster one = MakeCluster("one device", setting.request.cluster.profile, 1, 1);
  if (auto row = Restricted(setting, "one device", one, PlanTemplate::kReplicate))
    rows.push_back(std::move(*row));
  if (auto row = DataParallel(setting)) rows.push_back(std::move(*row));
  if (free.mesh) rows.push_back(Unlimited(setting, free, plan));
  return rows;
}

}  // namespace metadist
