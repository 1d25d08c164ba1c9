// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "metair/ir/result.h"
#include "planner/redistribute/redistribute.h"
#include "planner/search/counted_copies.h"
#include "planner/search/lowered_choice.h"
#include "planner/search/plan_request.h"
#include "planner/solvers/solver.h"
#include "planner/space/formulate.h"

namespace metadist {

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
  // Of the problem's edges, those of counted copies included.
  int64_t edge_entries() const;
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

  const PlanRequest& request_;
  Redistributor routes_;
  Formulation formulation_;
  std::optional<CountedCopies> copies_;
  int64_t simple_bound_ = 0;
};

}  // namespace metadist
