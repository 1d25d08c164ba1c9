// SPDX-License-Identifier: Apache-2.0
#include "planner/search/plan_of_choice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "metair/spmd/fusion.h"
#include "planner/lower/bundles.h"
#include "planner/simulate/simulate.h"

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
  TRY(Bundle(setting, choice.program, plan));
  return plan;
}

}  // namespace metadist
