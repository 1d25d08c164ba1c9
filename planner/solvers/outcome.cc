// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/outcome.h"

#include <algorithm>
#include <cmath>

#include "planner/solvers/evaluate.h"
#include "planner/solvers/minimum_peak.h"

namespace metadist {

Outcome::Outcome(const Problem& problem, const SolveOptions& options)
    : problem_(problem), options_(options), budget_(options) {
  if (options.initial.size() == problem.nodes.size()) Take(options.initial);
}

bool Outcome::Take(const Choice& choice) {
  const Evaluation evaluation = Evaluate(problem_, choice);
  if (!evaluation.feasible()) return false;
  const int64_t cost = static_cast<int64_t>(evaluation.cost);
  if (found_ && cost >= result_.cost) return true;
  result_.choice = choice;
  result_.cost = cost;
  result_.peak = evaluation.peak;
  found_ = true;
  Report("incumbent");
  return true;
}

bool Outcome::TakeLeastPeak() {
  const Result<MinimumPeakResult> found = MinimumPeak(problem_, budget_.Rest());
  if (!found.ok()) return false;
  const MinimumPeakResult& least = found.value();
  if (least.feasible && (!problem_.usage_limit || least.bound <= *problem_.usage_limit)) {
    return Take(least.choice);
  }
  SetInfeasible(least.feasible ? least.bound : 0);
  return false;
}

void Outcome::RaiseBound(int64_t bound) {
  if (found_) bound = std::min(bound, result_.cost);
  bound_ = std::max(bound_, bound);
}

void Outcome::SetInfeasible(int64_t peak_bound) {
  infeasible_ = true;
  result_.peak_bound = peak_bound;
}

void Outcome::SetInfeasible() {
  const bool by_limit =
      problem_.usage_limit && !Reduce(problem_, ReduceMode::kWithoutMemory).infeasible;
  SetInfeasible(by_limit ? *problem_.usage_limit + 1 : 0);
}

void Outcome::SetReduced(const Reduced& reduced) {
  result_.reduced = reduced.counts();
  result_.deletions = reduced.deletions;
  budget_.AddWork(1 + result_.reduced.entries);
}

void Outcome::Report(std::string_view phase) const {
  if (!options_.progress) return;
  SolveProgress progress;
  progress.phase = phase;
  progress.seconds = budget_.seconds();
  progress.has_choice = found_;
  progress.cost = result_.cost;
  progress.bound = bound_;
  options_.progress(progress);
}

void Outcome::EndPhase(std::string_view phase) {
  const double now = budget_.seconds();
  result_.seconds.emplace_back(phase, now - phase_start_);
  phase_start_ = now;
  Report(phase);
}

bool Outcome::Done() {
  if (infeasible_ || (found_ && bound_ >= result_.cost)) return true;
  if (options_.cutoff && bound_ >= *options_.cutoff) {
    stopped_by_ = "cutoff";
    return true;
  }
  if (found_ && options_.gap > 0 && bound_ > -kInfinite) {
    const double gap = static_cast<double>(result_.cost) - static_cast<double>(bound_);
    if (gap <= options_.gap * std::abs(static_cast<double>(result_.cost))) {
      stopped_by_ = "gap";
      return true;
    }
  }
  return budget_.Spent();
}

SolveResult Outcome::Finish() {
  result_.work = budget_.work();
  result_.bound = bound_;
  if (infeasible_) {
    result_.status = SolveStatus::kInfeasible;
    result_.bound = 0;
  } else if (!found_) {
    result_.status = SolveStatus::kNoPlan;
  } else if (bound_ <= -kInfinite) {
    result_.status = SolveStatus::kHeuristic;
  } else {
    result_.bound = std::min(bound_, result_.cost);
    const bool optimal = result_.bound == result_.cost;
    result_.status = optimal ? SolveStatus::kOptimal : SolveStatus::kGap;
  }
  const bool proven =
      result_.status == SolveStatus::kOptimal || result_.status == SolveStatus::kInfeasible;
  if (!proven) {
    result_.stopped_by = budget_.stopped_by().empty() ? stopped_by_ : budget_.stopped_by();
  }
  return std::move(result_);
}

}  // namespace metadist
