// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/outcome.h"

#include <algorithm>
#include <cmath>

#include "planner/solvers/minimum_peak.h"
#include "planner/solvers/problem/evaluate.h"

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
  bound = std::min(bound, pruned_at_);
  if (found_) bound = std::min(bound, result_.cost);
  bound_ = std::max(bound_, bound);
}

void Outcome::SetInfeasible(int64_t peak_bound) {
  infeasible_ = true;
  result_.peak_bound = peak_bound;
}

int64_t PeakBoundAfterReduction(const Problem& problem) {
  const bool by_limit =
      problem.usage_limit && !Reduce(problem, ReduceMode::kWithoutMemory).infeasible;
  return by_limit ? *problem.usage_limit + 1 : 0;
}

void Outcome::SetInfeasible() { SetInfeasible(PeakBoundAfterReduction(problem_)); }

Reduced Outcome::Reduce(ReduceMode mode) {
  Reduced reduced = metadist::Reduce(problem_, mode);
  result_.reduced = reduced.counts();
  result_.deletions = reduced.deletions;
  budget_.AddWork(1 + result_.reduced.entries);
  EndPhase("reduce");
  if (reduced.infeasible) SetInfeasible();
  return reduced;
}

void Outcome::Report(std::string_view phase) const {
  if (!options_.progress) return;
  options_.progress({phase,
                     budget_.seconds(),
                     found_,
                     result_.cost,
                     bound_,
                     result_.deletions,
                     found_ ? &result_.choice : nullptr});
}

void Outcome::EndPhase(std::string_view phase) {
  const double now = budget_.seconds();
  auto entry =
      std::ranges::find(result_.seconds, phase, [](const auto& known) { return known.first; });
  if (entry == result_.seconds.end()) entry = result_.seconds.insert(entry, {phase, 0});
  entry->second += now - phase_start_;
  phase_start_ = now;
  Report(phase);
}

int64_t Outcome::upper() const {
  const int64_t cutoff = options_.cutoff.value_or(kInfinite);
  return found_ ? std::min(result_.cost, cutoff) : cutoff;
}

double Outcome::wanted_gap() const {
  return found_ ? options_.gap * std::abs(static_cast<double>(result_.cost)) : 0;
}

bool Outcome::CutOff() {
  if (!options_.cutoff || bound_ < *options_.cutoff) return false;
  stopped_by_ = "cutoff";
  return true;
}

bool Outcome::Done() {
  if (infeasible_ || (found_ && bound_ >= result_.cost)) return true;
  if (CutOff()) return true;
  if (found_ && options_.gap > 0 && bound_ > -kInfinite) {
    const double gap = static_cast<double>(result_.cost) - static_cast<double>(bound_);
    if (gap <= wanted_gap()) {
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
