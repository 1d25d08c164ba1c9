// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_report.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cli/node_work.h"
#include "metair/ir/packing.h"
#include "metair/ops/op_table.h"
#include "planner/plan/plan_names.h"

namespace metadist::cli {
namespace {

double ParallelFlops(const OpTable& ops, const Plan& plan) {
  int64_t divided = 0;
  int64_t all = 0;
  for (size_t n = 0; n < plan.graph.nodes.size(); ++n) {
    const int64_t flops = WorkOfNode(ops, plan.graph, plan.graph.nodes[n]).flops;
    const std::vector<std::string>& axes = plan.assignment.nodes[n].axes;
    all += flops;
    if (std::any_of(axes.begin(), axes.end(), [](const std::string& a) {
          return !a.empty() && a[0] != '~';
        }))
      divided += flops;
  }
  return all == 0 ? 0 : static_cast<double>(divided) / static_cast<double>(all);
}

std::vector<PlanReport::Placement> PlacementsOf(const Plan& plan) {
  std::map<std::string, PlanReport::Placement> groups;  // by sharding
  for (const ValueId id : plan.graph.OfKind(ValueKind::kParameter)) {
    std::string text = ShardingText(plan.assignment.values[static_cast<size_t>(id)], plan.mesh);
    PlanReport::Placement& group = groups[text];
    group.sharding = std::move(text);
    group.bytes += PackedBytes(plan.graph.value(id).type);
    ++group.tensors;
  }
  std::vector<PlanReport::Placement> out;
  for (auto& [text, group] : groups) out.push_back(std::move(group));
  std::stable_sort(
      out.begin(), out.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return out;
}

int64_t NarrowPartials(const Plan& plan) {
  std::set<ValueId> sums;
  for (size_t n = 0; n < plan.graph.nodes.size(); ++n) {
    const std::vector<ValueId>& outputs = plan.graph.nodes[n].outputs;
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o] == kNone || !IsNarrowFloat(plan.graph.value(outputs[o]).type.element))
        continue;
      for (const Partial& partial : plan.assignment.nodes[n].outputs[o].partial)
        if (partial.op == ReduceOp::kSum || partial.op == ReduceOp::kProd) sums.insert(outputs[o]);
    }
  }
  return static_cast<int64_t>(sums.size());
}

}  // namespace

PlanReport PlanReportOf(const PlannedModel& planned) {
  const Plan& plan = planned.planned.plan;
  const Prediction& p = plan.prediction;
  PlanReport out;
  out.origin = plan.origin;
  out.mesh = MeshText(plan.mesh);
  out.solver = plan.solver;
  if (plan.solver.cost > plan.solver.free_bound)
    out.free_gap = static_cast<double>(plan.solver.cost - plan.solver.free_bound) /
                   static_cast<double>(plan.solver.cost);
  out.step = p.step;
  out.compute = p.compute;
  out.communication = p.communication;
  if (p.step.seconds > 0) out.communication_share = p.communication.seconds / p.step.seconds;
  out.overlap = p.overlap;
  out.overlaps = !plan.order.empty();
  out.collectives = p.collectives;
  out.collectives_by_axis = p.by_axis;
  out.memory = p.memory;
  out.memory_limit_bytes = plan.memory_limit_bytes;
  out.throughput = ThroughputOf(plan, *planned.model.ops, planned.cluster);
  out.reduce_in = Name(plan.reduce_in);
  out.narrow_partials = NarrowPartials(plan);
  out.parallel_flops = ParallelFlops(*planned.model.ops, plan);
  out.parameters = PlacementsOf(plan);
  out.alternatives = plan.alternatives;
  out.seconds = planned.planned.seconds;
  out.import_seconds = planned.model.seconds;
  out.total_seconds = planned.total_seconds;
  out.routes = planned.planned.routes;
  return out;
}

}  // namespace metadist::cli
