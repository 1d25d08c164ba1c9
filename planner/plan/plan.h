// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"
#include "metair/spmd/program.h"
#include "metair/training/training.h"
#include "planner/simulate/simulate.h"
#include "planner/space/assignment.h"
#include "planner/space/redistribution.h"
#include "profiles/priced.h"

namespace metadist {

// The origin of the planned graph, so that `run` can import it again and reject a changed model.
struct PlanOrigin {
  std::string tool_version;
  std::string model_path;
  std::string model_hash;
  std::map<std::string, int64_t> binds;
  std::vector<std::string> passes_off;
  std::optional<TrainingOptions> training;  // nullopt: inference
  std::string cluster;                      // as the user wrote it
  std::string profile;                      // its name
  std::string profile_hash;                 // may be empty
  bool operator==(const PlanOrigin&) const = default;
};

// The problems that a bound may refer to.
inline constexpr std::string_view kLayersAlike = "identical layers share one sharding";
inline constexpr std::string_view kLayersFree = "all layers free";
inline constexpr std::string_view kLayersFreeHere = "all layers free on this mesh";

// Value of `stopped_by`: cheaper choices observe the memory limit in the problem, but exceed it
// once lowered.
inline constexpr std::string_view kLowering = "lowering";

// The solver's result. Costs in picoseconds.
struct SolverReport {
  std::string solver;
  std::string status;   // "optimal", "gap", "heuristic"
  std::string problem;  // what the bound refers to, on all meshes tried
  int64_t cost = 0;
  int64_t bound = 0;
  double gap = 0;          // (cost - bound) / cost
  int64_t free_bound = 0;  // with all layers free on all meshes tried; <= bound if both are known
  int64_t nodes = 0;
  int64_t strategies = 0;
  int64_t pruned = 0;  // strategies dropped before solving (StrategySpace::limit)
  // After exact reduction of the problem in which the plan was found: remaining decisions, edges
  // between them, entries of these; strategies deleted by reduction and by reduced costs.
  int64_t reduced_nodes = 0;
  int64_t reduced_edges = 0;
  int64_t reduced_entries = 0;
  int64_t deletions = 0;
  std::string stopped_by;  // if there is a gap: a SolveResult's `stopped_by`, or kLowering
  bool operator==(const SolverReport&) const = default;
};

struct Alternative {
  std::string name;
  double step_seconds = 0;
  double overlapped_seconds = 0;  // if collectives run beside compute
  int64_t peak_bytes = 0;
  bool feasible = false;  // fits the memory limit
  std::string note;       // why there is none, if so
  bool operator==(const Alternative&) const = default;
};

// A decision with its evidence; sufficient to lower, run, simulate and explain without planning
// again.
struct Plan {
  PlanOrigin origin;
  uint64_t seed = 0;
  Mesh mesh;
  Graph graph;                          // bytes of parameters and large constants may be absent
  std::set<std::string> own_constants;  // constants of `graph` that the model does not have
  Assignment assignment;
  std::vector<Redistribution> redistributions;
  // Positions of the program's nodes as lowered, in the order in which they run, with collectives
  // that overlap nodes (OverlapInOrder). Empty: as lowered, without overlap.
  std::vector<NodeId> order = {};
  std::vector<Priced> node_costs;  // by node of `graph`
  Prediction prediction;           // its `nodes` are not stored
  int64_t memory_limit_bytes = 0;
  ReduceIn reduce_in = ReduceIn::kF32;
  SolverReport solver;
  std::vector<Alternative> alternatives;

  int64_t peak_bytes() const { return prediction.memory.peak_bytes(); }
};

// The plan's program. Errors: kInternal if the redistributions do not chain, kBadInput for a wrong
// order.
Result<Program> Lower(const Plan& plan);

}  // namespace metadist
