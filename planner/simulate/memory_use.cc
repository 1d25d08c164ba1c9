// SPDX-License-Identifier: Apache-2.0
#include "planner/simulate/memory_use.h"

#include <algorithm>
#include <set>
#include <vector>

#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/step_buffers.h"
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
    all.parameters += plan.parameter_bytes;
    all.activations += plan.arena_bytes + step.result_bytes();
    all.buffers += plan.input_bytes + plan.constant_bytes + step.input_bytes();
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
