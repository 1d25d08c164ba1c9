// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "planner/solvers/problem/budget.h"
#include "planner/solvers/problem/solve.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// peak_bound as in SolveResult, after a reduction under the limit has proven infeasibility.
int64_t PeakBoundAfterReduction(const Problem& problem);

// The state of a solver's result: best choice by Evaluate, proven bound, phases, progress reports,
// and finally the status that follows from them.
class Outcome {
 public:
  // Both must outlive the object.
  Outcome(const Problem& problem, const SolveOptions& options);

  Budget& budget() { return budget_; }
  // The first phase: reduces the problem and records its size and whether it is infeasible.
  Reduced Reduce(ReduceMode mode);
  // Takes a choice of the original problem if it is feasible and better. True if it is feasible.
  bool Take(const Choice& choice);
  // Computes the choice of least peak, which fits if any choice does, and takes it; its bound may
  // prove that no choice fits. True if the choice fits.
  bool TakeLeastPeak();
  // Records a proven lower bound of the cost of every feasible choice. kInfinite: there is none.
  void RaiseBound(int64_t bound);
  // Choices that cost at least this were pruned; later bounds are proven only for the remaining
  // ones.
  void SetPrunedAt(int64_t cost) { pruned_at_ = cost; }
  // Bounds depend on the tolerances of CBC.
  void SetByTolerance() { result_.by_tolerance = true; }
  // peak_bound as in SolveResult.
  void SetInfeasible(int64_t peak_bound);
  // The same after a reduction under the limit has proven infeasibility.
  void SetInfeasible();
  void SetDeletions(int64_t deletions) { result_.deletions = deletions; }
  void EndPhase(std::string_view phase);
  // The reason for ending the run if no limit does.
  void SetStop(std::string_view reason) { stopped_by_ = reason; }
  bool stopped() const { return !stopped_by_.empty(); }

  bool found() const { return found_; }
  int64_t cost() const { return result_.cost; }
  const Choice& choice() const { return result_.choice; }
  int64_t bound() const { return bound_; }
  // Only choices that cost less are of interest.
  int64_t upper() const;
  // The absolute gap that is small enough.
  double wanted_gap() const;
  // True if no choice of interest is left because the bound has reached the cutoff.
  bool CutOff();
  // True if nothing is left to do: the result is proven, the gap is small enough, the cutoff is
  // reached or the budget is spent.
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
