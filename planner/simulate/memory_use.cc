// SPDX-License-Identifier: Apache-2.0
#include "planner/simulate/memory_use.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/collective.h"
#include "metair/spmd/step_buffers.h"
#include "metair/training/value_roles.h"
#include "planner/space/counted_rank.h"

namespace metadist {
namespace {

// Ranks that include one with the highest peak: a few of each stage (FullRanks), and all ranks of
// several stages, which hold what all of these need.
std::set<int64_t> CandidateRanks(const Program& program) {
  std::vector<int> stages(static_cast<size_t>(program.ranks()), 0);
  for (const Stage& stage : program.stages)
    for (const int64_t rank : stage.ranks) ++stages[static_cast<size_t>(rank)];
  std::set<int64_t> out;
  for (const Stage& stage : program.stages) {
    const bool halos = std::ranges::any_of(stage.shardings, &Sharding::has_halos);
    for (const int64_t rank : FullRanks(stage.mesh, halos))
      out.insert(stage.ranks[static_cast<size_t>(rank)]);
    for (const int64_t rank : stage.ranks)
      if (stages[static_cast<size_t>(rank)] > 1) out.insert(rank);
  }
  return out;
}

bool MovesOnly(const Node& node) { return CollectiveOf(node).has_value(); }

bool IsRoot(const BufferPlan& plan, size_t value, BufferPlan::Place place) {
  return plan.slots[value].place == place && plan.slots[value].root == static_cast<ValueId>(value);
}

// Bytes of inputs of this role.
int64_t ResidentBytes(const BufferPlan& plan, const std::vector<ValueRole>& roles, ValueRole role) {
  int64_t bytes = 0;
  for (size_t v = 0; v < roles.size(); ++v)
    if (roles[v] == role && IsRoot(plan, v, BufferPlan::Place::kResident))
      bytes += plan.slots[v].bytes;
  return bytes;
}

// Bytes of the arena that hold gradients, at the first node during which most bytes are live.
int64_t GradientBytes(const BufferPlan& plan, const std::vector<ValueRole>& roles, size_t nodes) {
  std::vector<int64_t> change(nodes + 2, 0);
  const auto live = [&](size_t v) { return IsRoot(plan, v, BufferPlan::Place::kArena); };
  for (size_t v = 0; v < roles.size(); ++v) {
    if (!live(v)) continue;
    change[static_cast<size_t>(plan.slots[v].first)] += plan.slots[v].bytes;
    change[static_cast<size_t>(plan.slots[v].last) + 1] -= plan.slots[v].bytes;
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  const NodeId peak = static_cast<NodeId>(std::ranges::max_element(change) - change.begin());
  int64_t bytes = 0;
  for (size_t v = 0; v < roles.size(); ++v)
    if (roles[v] == ValueRole::kGradient && live(v) && plan.slots[v].first <= peak &&
        peak <= plan.slots[v].last)
      bytes += plan.slots[v].bytes;
  return bytes;
}

}  // namespace

MemoryUse MemoryOfRank(const Program& program, int64_t rank, const OpTable& ops) {
  MemoryUse all;
  for (size_t s = 0; s < program.stages.size(); ++s) {
    const Stage& stage = program.stages[s];
    const auto at = std::find(stage.ranks.begin(), stage.ranks.end(), rank);
    if (at == stage.ranks.end()) continue;
    const Graph graph = Instantiate(stage, at - stage.ranks.begin());
    const BufferPlan plan = PlanBuffers(graph, ops);
    const StepBuffers step = PlanStepBuffers(program, static_cast<int>(s), graph, plan);
    const std::vector<ValueRole> roles = RolesOf(stage.graph, MovesOnly);
    const int64_t gradients = GradientBytes(plan, roles, graph.nodes.size());
    const int64_t optimizer = ResidentBytes(plan, roles, ValueRole::kOptimizerState);
    const int64_t sums = ResidentBytes(plan, roles, ValueRole::kGradient);
    all.parameters += plan.parameter_bytes;
    all.gradients += gradients + sums;
    all.optimizer += optimizer;
    all.activations += plan.arena_bytes + step.result_bytes() - gradients;
    all.buffers += plan.input_bytes + plan.constant_bytes + step.input_bytes() - optimizer - sums;
  }
  return all;
}

MemoryUse MemoryOf(const Program& program, const OpTable& ops) {
  MemoryUse most;
  for (const int64_t rank : CandidateRanks(program)) {
    const MemoryUse use = MemoryOfRank(program, rank, ops);
    if (use.peak_bytes() > most.peak_bytes()) most = use;
  }
  return most;
}

}  // namespace metadist
