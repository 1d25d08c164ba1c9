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
  // Errors: those of Formulate, and of Restrict with the request's template.
  static Result<std::unique_ptr<MeshPlanner>> Make(const PlanRequest& request,
                                                   const Cluster& cluster,
                                                   const Mesh& mesh);

  // The same problem without counted copies, restricted by a template. Its choices are choices of
  // this problem too. Errors: those of Restrict.
  Result<std::unique_ptr<MeshPlanner>> Restricted(const PlanTemplate& plan_template) const;

  // The cheapest choice found whose program fits the limit too: if a lowered program needs more
  // memory than the problem counts, the problem is solved again under smaller limits. No candidate
  // if none was found, or none is cheaper than the options' cutoff. Time and work limits hold for
  // the total, but every solution has a minimum of work. tied: repeated layers tied. Errors:
  // kTimeLimit, kInterrupted.
  Result<Attempt> Solve(std::optional<int64_t> limit_bytes,
                        bool tied,
                        const SolverDef& solver,
                        const SolveOptions& options);

  // Lowers a given choice, which may exceed every limit; entries after the formulation's own nodes
  // are ignored. Errors: kBadInput if it contains a forbidden strategy or pair.
  Result<LoweredChoice> TakeChoice(const Choice& choice);

  // The program with the smallest peak found, and a lower bound of all peaks. Does not depend on
  // earlier calls.
  Result<LeastPeak> FindLeastPeak(const SolveOptions& options);

  // A lower bound of all choices in picoseconds, whatever the limit: every node and edge at its
  // cheapest.
  int64_t simple_bound() const { return simple_bound_; }

  const Formulation& formulation() const { return formulation_; }
  // Number of entries of the problem's edges, including those of counted copies.
  int64_t edge_entries() const;
  bool has_ties() const { return formulation_.tied_nodes > 0; }
  const Mesh& mesh() const { return routes_.mesh(); }
  const RouteEffort& effort() const { return routes_.effort(); }
  const Cluster& cluster() const { return routes_.cluster(); }

 private:
  MeshPlanner(const PlanRequest& request, const Cluster& cluster, const Mesh& mesh)
      : request_(request),
        axes_(request.plan_template.free() ? RouteAxes::kAll : RouteAxes::kChanged),
        routes_(mesh, cluster, axes_) {}
  Result<void> Prepare(const PlanTemplate& plan_template);
  Result<LoweredChoice> LowerChoice(const Choice& choice);
  // The choice's program with the solver's results.
  Result<LoweredChoice> LowerSolved(const SolveResult& solved, int64_t bound);
  // Lowers choices of least peak, counting copies if a program needs more; keeps the best in `out`.
  Result<void> LowerLeastPeak(bool tied, const SolveOptions& options, LeastPeak& out);
  Problem ProblemOf(bool tied) const;

  const PlanRequest& request_;
  const RouteAxes axes_;
  Redistributor routes_;
  Formulation formulation_;
  std::optional<CountedCopies> copies_;
  int64_t simple_bound_ = 0;
};

}  // namespace metadist
