// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metair/ir/result.h"
#include "metair/spmd/program.h"
#include "planner/lower/redistribution.h"
#include "planner/planner.h"
#include "planner/redistribute/redistribute.h"
#include "planner/simulate/simulate.h"
#include "planner/solvers/solver.h"
#include "planner/space/copies.h"
#include "planner/space/formulate.h"

namespace metadist {

// A choice, lowered.
struct LoweredChoice {
  Choice choice;
  int64_t cost = 0;   // by the problem
  int64_t bound = 0;  // of the problem it was found in
  SolveStatus status = SolveStatus::kHeuristic;
  std::string stopped_by;
  ReducedSize reduced;                 // of the problem it was found in
  int64_t deletions = 0;               // in that problem
  bool tied = false;                   // found with repeated layers alike
  std::optional<int64_t> usage_limit;  // of the problem it was found in
  Graph graph;  // of the request, nodes that run as their decompositions replaced by these
  Assignment assignment;  // of `graph`
  std::vector<Redistribution> redistributions;
  Program program;
  MemoryUse memory;  // of the lowered program
};

// What came of solving one mesh.
struct Attempt {
  std::optional<LoweredChoice> candidate;  // none found, or none that is wanted
  // No plan on this mesh that fits the limit costs less; kNothingFits if that is proven.
  int64_t bound = 0;
  // What kept it from more, "" if nothing: a SolveResult's `stopped_by`, or kLowering.
  std::string stopped_by;
};
inline constexpr int64_t kNothingFits = std::numeric_limits<int64_t>::max();

struct LeastPeak {
  LoweredChoice candidate;
  int64_t bound = 0;  // no program of this space, layers free, has a smaller peak
};

// One mesh of a request: its problem, and plans made from it.
class MeshPlanner {
 public:
  // Errors: those of Formulate.
  static Result<std::unique_ptr<MeshPlanner>> Make(const PlanRequest& request,
                                                   const Cluster& cluster,
                                                   const Mesh& mesh,
                                                   PlanTemplate plan_template);

  // The cheapest choice found whose program fits the limit as well: where a lowered program needs
  // more than the problem knew, the problem is solved again under smaller limits. No candidate
  // where none was found, or nothing is cheaper than the options' cutoff. Time and work limits hold
  // for all of it, but every solution has some work for itself. tied: repeated layers alike.
  // Errors: kTimeLimit, kInterrupted.
  Result<Attempt> Solve(std::optional<int64_t> limit_bytes,
                        bool tied,
                        const SolverDef& solver,
                        const SolveOptions& options);

  // A choice from outside, which may exceed every limit; entries behind the formulation's own
  // nodes do not count. Errors: kBadInput if it takes a forbidden strategy or pair.
  Result<LoweredChoice> TakeChoice(const Choice& choice);

  // The program with the smallest peak that was found, and the bound on all. Does not depend on
  // what was solved before.
  Result<LeastPeak> FindLeastPeak(const SolveOptions& options);

  // Picoseconds; no choice costs less, whatever the limit: every node and edge at its cheapest.
  int64_t simple_bound() const { return simple_bound_; }

  const Formulation& formulation() const { return formulation_; }
  bool has_ties() const { return formulation_.tied_nodes > 0; }
  const Mesh& mesh() const { return routes_.mesh(); }
  const RouteEffort& effort() const { return routes_.effort(); }
  const Cluster& cluster() const { return routes_.cluster(); }

 private:
  MeshPlanner(const PlanRequest& request, const Cluster& cluster, const Mesh& mesh)
      : request_(request), routes_(mesh, cluster) {}
  Result<LoweredChoice> LowerChoice(const Choice& choice);
  // The choice's program with what the solver says of it.
  Result<LoweredChoice> LowerSolved(const SolveResult& solved, int64_t bound);
  // Lowers the peak's choices, counting copies where a program needs more; keeps the best in `out`.
  Result<void> LowerLeastPeak(bool tied, const SolveOptions& options, LeastPeak& out);
  Problem ProblemOf(bool tied) const;
  // Counts the copies that live, not counted yet, where the choice with them needs more than the
  // limit. False if there are none.
  bool CountCopies(const Choice& choice, int64_t limit_bytes);
  void ForgetCopies();

  const PlanRequest& request_;
  Redistributor routes_;
  Formulation formulation_;
  size_t own_nodes_ = 0;         // of the problem: those behind are counted copies
  size_t own_edges_ = 0;         // likewise
  std::vector<UseCopy> copies_;  // not counted; found when first needed
  bool copies_found_ = false;
  std::vector<CountedCopy> counted_;
  int64_t simple_bound_ = 0;
};

}  // namespace metadist
