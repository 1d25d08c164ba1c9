// SPDX-License-Identifier: Apache-2.0
#include "planner/search/plan_of_choice.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "metair/spmd/fusion.h"
#include "planner/lower/bundles.h"
#include "planner/simulate/overlap_order.h"
#include "planner/simulate/simulate.h"
#include "profiles/cost.h"

namespace metadist {
namespace {

Result<void> Bundle(const SearchSetting& setting, const Program& program, Plan& plan) {
  const Cluster& cluster = setting.request.cluster;
  StepPricer pricer(plan.mesh, cluster);
  std::vector<Redistribution> apart = plan.redistributions;
  if (!MakeBundles(OnlyStage(program), pricer, plan.redistributions)) return {};
  Prediction together = Simulate(TRY(Lower(plan)), cluster, *setting.request.ops);
  const bool fits = together.memory.peak_bytes() <=
                    std::max(setting.limit_bytes, plan.prediction.memory.peak_bytes());
  if (fits && together.step.seconds < plan.prediction.step.seconds)
    plan.prediction = std::move(together);
  else
    plan.redistributions = std::move(apart);
  return {};
}

// The plan with collectives that overlap nodes, as far as the memory limit allows; nullopt if that
// is not faster.
Result<std::optional<Plan>> Overlapping(const SearchSetting& setting, Plan plan) {
  const Cluster& cluster = setting.request.cluster;
  const OpTable& ops = *setting.request.ops;
  const Prediction in_order = plan.prediction;
  const int64_t limit = std::max(setting.limit_bytes, in_order.memory.peak_bytes());
  const Program program = TRY(Lower(plan));
  const std::vector<StepTask> tasks = TasksOf(PartsOf(program, cluster, ops, in_order.nodes));
  for (const OverlapReach& reach : {OverlapReach{64, 4}, {16, 2}, {4, 1}, {1, 1}}) {
    plan.order = NodesOf(tasks, OverlapOrder(tasks, reach));
    plan.prediction = Simulate(TRY(Lower(plan)), cluster, ops);
    if (plan.prediction.step.seconds >= in_order.step.seconds) break;
    if (plan.prediction.memory.peak_bytes() <= limit) return std::optional(std::move(plan));
  }
  return std::optional<Plan>();
}

// Adds what overlap would make of the plan, or takes it if the request wants it. Bundles take less
// time, but begin later: whichever is faster.
Result<void> Overlap(const SearchSetting& setting, const Plan& apart, Plan& plan) {
  const bool gains = plan.prediction.communication.seconds > 0;
  if (!gains || !CanOverlap(setting.request.cluster)) return {};
  std::optional<Plan> best = TRY(Overlapping(setting, plan));
  if (plan.prediction.step.seconds < apart.prediction.step.seconds) {  // there are bundles
    std::optional<Plan> other = TRY(Overlapping(setting, apart));
    if (other && (!best || other->prediction.step.seconds < best->prediction.step.seconds))
      best = std::move(other);
  }
  if (!best) return {};
  if (setting.request.overlap)
    plan = std::move(*best);
  else
    plan.prediction.overlap = best->prediction.overlap;
  return {};
}

PlanOrigin OriginOf(const PlanRequest& request) {
  PlanOrigin origin = request.origin;
  if (origin.cluster.empty()) origin.cluster = request.cluster.name;
  if (origin.profile.empty()) origin.profile = request.cluster.profile->header.name;
  return origin;
}

}  // namespace

Result<Plan> PlanOfChoice(const SearchSetting& setting, BestPlan best) {
  const PlanRequest& request = setting.request;
  const MeshPlanner& planner = setting.meshes.at(*best.mesh);
  LoweredChoice& choice = best.candidate;
  Plan plan;
  plan.origin = OriginOf(request);
  plan.seed = request.seed;
  plan.mesh = planner.mesh();
  plan.graph = std::move(choice.graph);
  for (const ValueId id : plan.graph.OfKind(ValueKind::kConstant)) {
    const std::string& name = plan.graph.value(id).name;
    if (request.graph->FindValue(name) == kNone) plan.own_constants.insert(name);
  }
  plan.memory_limit_bytes = setting.limit_bytes;
  plan.reduce_in = request.reduce_in;
  StrategySpace space{&plan.graph, request.ops, &plan.mesh, &planner.cluster()};
  const auto groups = FuseElementwise(plan.graph, {}, plan.mesh, *request.ops);
  const auto fused = FusedOperandsOf(plan.graph, groups, *request.ops);
  for (size_t n = 0; n < plan.graph.nodes.size(); ++n) {
    space.fused = &fused[n];
    plan.node_costs.push_back(ComputePrice(space, plan.graph.nodes[n], choice.assignment.nodes[n]));
  }
  plan.prediction = Simulate(choice.program, request.cluster, *request.ops);
  plan.assignment = std::move(choice.assignment);
  plan.redistributions = std::move(choice.redistributions);
  const Plan apart = plan;
  TRY(Bundle(setting, choice.program, plan));
  TRY(Overlap(setting, apart, plan));
  return plan;
}

}  // namespace metadist
