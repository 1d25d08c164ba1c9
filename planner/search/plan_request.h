// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/mesh.h"
#include "planner/plan/plan.h"
#include "planner/redistribute/redistribute.h"
#include "planner/rules/book/rule_book.h"
#include "planner/solvers/solver.h"
#include "planner/space/edge_costs.h"
#include "planner/space/formulate.h"
#include "planner/space/templates.h"
#include "profiles/cluster.h"

namespace metadist {

struct PlanProgress {
  std::string_view phase;  // "discover", "formulate", "solve", "lower"
  std::string detail;      // "mesh a=2,b=2, every layer free"
  bool has_plan = false;
  double cost_seconds = 0;
  bool has_bound = false;  // of the current problem
  double bound_seconds = 0;
  int64_t deletions = 0;  // strategies of the current problem deleted so far
};

// The smallest budget that was found to work; budgets below `bound_bytes` are provably too small.
struct LeastMemory {
  int64_t bytes = 0;
  int64_t bound_bytes = 0;
};

struct PlanRequest {
  const Graph* graph = nullptr;
  const OpTable* ops = nullptr;
  RuleBook* rules = nullptr;
  EdgeCostsOfMeshes* edge_costs = nullptr;  // if several plans on one cluster share them
  Cluster cluster;
  std::optional<Mesh> mesh;           // nullopt: the best of MeshesFor
  std::optional<Mesh> searched_mesh;  // if set, the only one on which plans under the memory limit
                                      // and templates are searched; bounds are of all
  std::optional<int64_t> memory_limit_bytes;  // nullopt: cluster.usable_bytes()
  std::string solver = std::string(DefaultSolver().name);
  double gap = 0;
  double time_limit_seconds = 0;  // 0: none
  uint64_t seed = 0;
  int threads = 1;
  std::vector<Constraint> constraints;
  PlanTemplate plan_template;
  ReduceIn reduce_in = ReduceIn::kF32;
  bool overlap = false;      // let collectives overlap nodes
  bool alternatives = true;  // compute the table of alternatives
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(const PlanProgress&)> progress;
  LeastMemory* least = nullptr;  // set if the result is kInfeasible
  bool finds_least = true;       // if nothing fits, look for the smallest budget that works
  // If set, replaces the solver, with `mesh` given: returns the choice to lower for that mesh's
  // problem, or for a problem that begins with it. MakePlan returns its errors.
  std::function<Result<Choice>(const Problem&)> choose;
  bool keep_problem = false;  // fill Planned::problem
  PlanOrigin origin;
};

struct PhaseSeconds {
  double discover = 0;
  double formulate = 0;
  double solve = 0;
  double improve = 0;       // part of solve: with all layers free, from the plan with tied layers
  double alternatives = 0;  // part of solve
  double lower = 0;
};

struct Planned {
  Plan plan;
  PhaseSeconds seconds;
  RouteEffort routes;        // part of formulating, over all meshes and threads
  bool interrupted = false;  // the plan is the best found until then
  bool squeezed = false;     // without the memory limit there would be a cheaper plan
  // The problem that the plan's choice solves: of the plan's mesh, with the limit under which it
  // was found, repeated layers tied if they are tied in the plan. The nodes of counted copies come
  // after those of the problem passed to `choose`.
  std::optional<Problem> problem;
};

}  // namespace metadist
