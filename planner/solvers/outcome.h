// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "planner/solvers/problem/budget.h"
#include "planner/solvers/problem/solve.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// What a solver has so far: best choice by Evaluate, proven bound, phases, reports of progress, and
// in the end the status that follows from them.
class Outcome {
 public:
  // Both must outlive the object.
  Outcome(const Problem& problem, const SolveOptions& options);

  Budget& budget() { return budget_; }
  // Takes a choice of the original problem if it is feasible and better. True if it fits the limit
  // and takes nothing forbidden.
  bool Take(const Choice& choice);
  // Asks for the choice of least peak, which fits if anything does, and takes it; its bound may
  // prove that nothing does. True if it was taken.
  bool TakeLeastPeak();
  // Proven: no feasible choice is cheaper. kInfinite: there is none.
  void RaiseBound(int64_t bound);
  // From now on bounds are proven only for what is left after choices went that cost at least this.
  void SetPrunedAt(int64_t cost) { pruned_at_ = cost; }
  // Bounds rest on the tolerances of CBC.
  void SetByTolerance() { result_.by_tolerance = true; }
  // peak_bound as in SolveResult.
  void SetInfeasible(int64_t peak_bound);
  // The same where a reduction under the limit has shown it.
  void SetInfeasible();
  void SetReduced(const Reduced& reduced);
  void SetDeletions(int64_t deletions) { result_.deletions = deletions; }
  void EndPhase(std::string_view phase);
  // What ends the run if no limit does.
  void SetStop(std::string_view reason) { stopped_by_ = reason; }
  bool stopped() const { return !stopped_by_.empty(); }

  bool found() const { return found_; }
  int64_t cost() const { return result_.cost; }
  const Choice& choice() const { return result_.choice; }
  int64_t bound() const { return bound_; }
  // A choice is of interest if it costs less.
  int64_t upper() const;
  // The absolute gap that is near enough.
  double wanted_gap() const;
  // True if nothing of interest is left: the bound has reached the cutoff.
  bool CutOff();
  // Proven, near enough, cut off, or out of budget: nothing is left to do.
  bool Done();
  SolveResult Finish();

 private:
  void Report(std::string_view phase) const;

  const Problem& problem_;
  const SolveOptions& options_;
  Budget budget_;
  SolveResult result_;
  bool found_ = false;
  bool infeasible_ = false;
  int64_t bound_ = -kInfinite;
  int64_t pruned_at_ = kInfinite;
  double phase_start_ = 0;
  std::string_view stopped_by_;
};

}  // namespace metadist
