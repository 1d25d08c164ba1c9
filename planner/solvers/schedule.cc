// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/schedule.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "planner/solvers/budget.h"
#include "planner/solvers/elimination.h"
#include "planner/solvers/evaluate.h"
#include "planner/solvers/finish.h"
#include "planner/solvers/minimum_peak.h"
#include "planner/solvers/search.h"

namespace metadist {

// Every stage is a proof or makes the next one smaller.
//  1. Exact reduction (reduce/).
//  2. The optimum without the limit, by bucket elimination in integers. If it fits the limit, it is
//     the optimum; otherwise its cost is a bound and, repaired, a first incumbent.
//  3. Epochs of search (search.h): bound up, incumbent down. After each, what is too dear for a
//     better choice is pruned and the rest reduced again. Often the two meet, and the bound is
//     exact arithmetic. Epochs start short and grow, so small problems do not wait for long ones.
//  4. When the bound has converged and pruning has nothing left to take, branch and bound on a
//     small enough remainder, with as much work as all before took: if that does not suffice, at
//     most half of the time was lost, and search goes on. Its proof rests on CBC's tolerances.
// An incumbent counts only after Evaluate.
//
// The run ends by itself when nothing has improved for as long as all improvements took together.

namespace {

// Branch and bound is tried below this, and tried last, when search is at its end, below the other.
constexpr int64_t kEasyEntries = 3'000;
constexpr int64_t kTryEntries = 60'000;
constexpr int64_t kMostEntries = 400'000;
constexpr int64_t kLeastEpoch = kWorkPerSecond / 10'000;
constexpr int64_t kLargestEpoch = 2 * kWorkPerSecond;
constexpr double kEpochGrowth = 1.25;
constexpr int64_t kRoundsOfFirstEpoch = 80;
constexpr int64_t kLeastFinish = 2 * kWorkPerSecond;
// Without a gain the run ends after as many rounds over what is left, within these bounds.
constexpr int64_t kPatienceRounds = 32'000;
constexpr int64_t kLeastPatience = kWorkPerSecond / 1000;
constexpr int64_t kLargestPatience = 20 * kWorkPerSecond;

class Schedule {
 public:
  Schedule(const Problem& problem, const SolveOptions& options, const Arrangement& arrangement)
      : problem_(problem), options_(options), arrangement_(arrangement), budget_(options) {}

  SolveResult Run() {
    Reduced reduced = Reduce(problem_, ReduceMode::kFull);
    result_.reduced = reduced.counts();
    result_.deletions = reduced.deletions;
    budget_.AddWork(1 + result_.reduced.entries);
    EndPhase("reduce");
    if (reduced.infeasible) {
      Infeasible();
    } else if (reduced.count() == 0) {
      bound_ = reduced.constant;
      Take(reduced.Expand({}));
    } else if (!arrangement_.eliminate || !SolveWithoutMemory(reduced)) {
      SolveWithMemory(std::move(reduced));
    }
    return Answer();
  }

 private:
  // Takes a choice of the original problem if it is feasible and better.
  void Take(const Choice& choice) {
    const Evaluation evaluation = Evaluate(problem_, choice);
    if (!evaluation.feasible()) return;
    const int64_t cost = static_cast<int64_t>(evaluation.cost);
    if (found_ && cost >= result_.cost) return;
    result_.choice = choice;
    result_.cost = cost;
    result_.peak = evaluation.peak;
    found_ = true;
    Report("incumbent");
  }

  void Report(std::string_view phase) {
    if (!options_.progress) return;
    options_.progress({phase,
                       budget_.seconds(),
                       found_,
                       result_.cost,
                       reported_bound(),
                       result_.deletions,
                       found_ ? &result_.choice : nullptr});
  }

  int64_t reported_bound() const { return found_ ? std::min(bound_, result_.cost) : bound_; }

  void EndPhase(std::string_view phase) {
    const double now = budget_.seconds();
    for (auto& [name, seconds] : result_.seconds) {
      if (name != phase) continue;
      seconds += now - phase_start_;
      phase_start_ = now;
      return Report(phase);
    }
    result_.seconds.emplace_back(phase, now - phase_start_);
    phase_start_ = now;
    Report(phase);
  }

  void Infeasible() {
    infeasible_ = true;
    if (problem_.usage_limit && !Reduce(problem_, ReduceMode::kWithoutMemory).infeasible) {
      result_.peak_bound = *problem_.usage_limit + 1;
    }
  }

  // Reduction under the limit keeps what is cheapest without it.
  static Reduced WithoutMemory(Reduced reduced) {
    if (!reduced.limit) return reduced;
    reduced.limit.reset();
    reduced.graph.limit.reset();
    reduced.base.clear();
    for (std::vector<MemoryRow>& rows : reduced.rows) rows.clear();
    return ReduceAgain(std::move(reduced)).reduced;
  }

  // True if that settles the problem.
  bool SolveWithoutMemory(const Reduced& reduced) {
    const Reduced narrow = WithoutMemory(reduced);
    const std::optional<ExactOptimum> optimum = MinimizeWithoutMemory(narrow);
    EndPhase("eliminate");
    if (!optimum) return false;
    if (IsInfinite(optimum->cost)) {
      infeasible_ = true;
      return true;
    }
    bound_ = optimum->cost;
    relaxed_ = narrow.Expand(optimum->choice);
    Take(relaxed_);
    return found_ || CutOff();
  }

  // What a choice must cost less than to be of interest.
  int64_t upper() const {
    const int64_t cutoff = options_.cutoff.value_or(kInfinite);
    return found_ ? std::min(result_.cost, cutoff) : cutoff;
  }

  // True if nothing wanted is left.
  bool CutOff() {
    if (!options_.cutoff || bound_ < *options_.cutoff) return false;
    stopped_by_ = "cutoff";
    return true;
  }

  // A bound of the choices that are left; those pruned away cost at least pruned_at_.
  void RaiseBound(int64_t value) { bound_ = std::max(bound_, std::min(value, pruned_at_)); }

  bool Done() {
    if (infeasible_ || (found_ && bound_ >= result_.cost) || CutOff()) return true;
    if (found_ && options_.gap > 0 && GapReached()) {
      stopped_by_ = "gap";
      return true;
    }
    return budget_.Spent();
  }

  bool GapReached() const {
    return static_cast<double>(result_.cost - bound_) <=
           options_.gap * std::abs(static_cast<double>(result_.cost));
  }

  void SolveWithMemory(Reduced reduced) {
    Search search(std::move(reduced), options_.seed, budget_);
    if (options_.initial.size() == problem_.nodes.size()) {
      Take(options_.initial);
      search.Offer(options_.initial);
    }
    if (!relaxed_.empty()) search.Offer(relaxed_);
    search.Start();
    Collect(search);
    if (arrangement_.search) {
      RunEpochs(search);
    } else {
      TryFinish(search, kInfinite);
    }
    if (stopped_by_.empty()) stopped_by_ = "size";
  }

  void Collect(const Search& search) {
    if (search.found() && (!found_ || search.cost() < result_.cost)) Take(search.Original());
  }

  void RunEpochs(Search& search) {
    double length = static_cast<double>(
        std::max(kLeastEpoch, kRoundsOfFirstEpoch * std::max<int64_t>(1, search.entries())));
    for (int epoch = 0; !Done(); ++epoch) {
      const int64_t work =
          std::min({static_cast<int64_t>(length), kLargestEpoch, budget_.work_left() / 2 + 1});
      length = std::min(length * kEpochGrowth, 1e18);
      search.Epoch({search.converged() ? 0 : work, work}, upper(), options_.threads);
      RaiseBound(search.bound());
      Collect(search);
      Note();
      EndPhase("search");
      if (Done()) return;
      if (!found_ && epoch == 1) ForceFit(search);
      const bool shrank = Prune(search);
      if (Done() || Settled(search)) return;
      if (!shrank && MayBranch(search) && Branch(search)) return;
      if (Exhausted(search)) return;
    }
  }

  // Remembers when the gap last became smaller by more than a hundredth of itself.
  void Note() {
    if (!found_) return;
    const double gap = static_cast<double>(result_.cost) - static_cast<double>(bound_);
    if (gap >= 0.99 * noted_gap_) return;
    noted_gap_ = gap;
    noted_work_ = budget_.work();
  }

  bool Prune(Search& search) {
    if (upper() >= kInfinite) return false;
    // What can go depends on the gap; looking for it costs many sweeps.
    const double gap = static_cast<double>(upper()) - static_cast<double>(bound_);
    if (gap >= 0.95 * pruned_gap_) return false;
    pruned_gap_ = gap;
    const int64_t most = upper() - 1;
    if (!search.Prune(most)) return false;
    pruned_at_ = most + 1;
    result_.deletions = search.reduced().deletions;
    EndPhase("prune");
    return true;
  }

  // A remainder without choices, or with one only, settles the problem.
  bool Settled(Search& search) {
    if (search.reduced().infeasible) {
      RaiseBound(kInfinite);
    } else if (search.reduced().count() == 0) {
      Take(search.reduced().Expand({}));
      RaiseBound(search.reduced().constant);
    } else {
      Collect(search);
      return false;
    }
    Done();
    return true;
  }

  // Search is at its end and the last try of branch and bound some time ago.
  bool MayBranch(const Search& search) const {
    return arrangement_.finish && search.converged() &&
           budget_.work() >= finished_at_ + finished_at_ / 8;
  }

  // True if that settles the problem.
  bool Branch(Search& search) {
    const int64_t work = std::max(kLeastFinish, budget_.work());
    const double size = std::max(1.0, std::abs(static_cast<double>(bound_)));
    const double guess = static_cast<double>(bound_) + guess_ * size;
    const double known = static_cast<double>(upper());
    const bool far = guess < 0.5 * (known + static_cast<double>(bound_));
    if (far && search.entries() > kEasyEntries) {
      return TryBelow(search, static_cast<int64_t>(guess), work);
    }
    return search.entries() <= kTryEntries && TryFinish(search, work);
  }

  // Branch and bound on what a choice of at most `most` may take. Such a choice is the best; if
  // there is none, the bound rises above `most`. True if that settles the problem.
  bool TryBelow(Search& search, int64_t most, int64_t work) {
    const std::optional<ReducedAgain> again = search.Below(most);
    finished_at_ = budget_.work();
    if (!again || again->reduced.counts().entries > kTryEntries) return false;
    const Reduced* left = &again->reduced;
    FinishResult answer{FinishResult::Status::kNothingBelow, {}, 0};
    if (!left->infeasible) {
      Finish finish(*left, MoveToKept(search.prices(), *again), MoveTimes(search.times(), *again));
      answer = finish.Run(most + 1, /*gap=*/0, work, budget_);
      finished_at_ = budget_.work();
      by_tolerance_ = true;
    }
    if (!answer.choice.empty()) {
      const Choice choice = left->Expand(answer.choice);
      Take(choice);
      search.Offer(choice);
    }
    if (answer.status == FinishResult::Status::kNothingBelow) {
      RaiseBound(most + 1);
      guess_ *= 2;
      finished_at_ = 0;
    } else if (answer.status == FinishResult::Status::kOptimal) {
      RaiseBound(result_.cost);
    } else {
      RaiseBound(std::min(answer.bound, most + 1));
    }
    Note();
    EndPhase("branch and bound");
    return Done();
  }

  bool Exhausted(Search& search) {
    const int64_t rounds = kPatienceRounds * search.entries();
    const int64_t patience =
        std::max(std::clamp(rounds, kLeastPatience, kLargestPatience), noted_work_);
    if (budget_.work() < noted_work_ + patience) return false;
    if (arrangement_.finish && search.entries() <= kMostEntries) TryFinish(search, kInfinite);
    return true;
  }

  // No incumbent: asks for the choice of least peak, which fits if anything does; its bound may
  // prove that nothing does.
  void ForceFit(Search& search) {
    if (!problem_.usage_limit) return;
    const Result<MinimumPeakResult> least = MinimumPeak(problem_, budget_.Rest());
    if (!least.ok()) return;
    if (!least.value().feasible || least.value().bound > *problem_.usage_limit) {
      infeasible_ = true;
      result_.peak_bound = least.value().feasible ? least.value().bound : 0;
      return;
    }
    Take(least.value().choice);
    search.Offer(least.value().choice);
    EndPhase("least memory");
  }

  // True if that settles the problem.
  bool TryFinish(Search& search, int64_t work) {
    Finish finish(search.reduced(), search.prices(), search.times());
    const int64_t wanted = upper();
    const double gap = found_ ? options_.gap * std::abs(static_cast<double>(result_.cost)) : 0;
    FinishResult answer = finish.Run(wanted, gap, work, budget_);
    search.times() = finish.times();
    finished_at_ = budget_.work();
    if (!answer.choice.empty()) {
      Take(search.reduced().Expand(answer.choice));
      search.Take(answer.choice);
    }
    const bool settled = answer.status != FinishResult::Status::kStopped;
    if (answer.status == FinishResult::Status::kNothingBelow) {
      Settle(wanted, gap);
    } else if (settled && gap > 0) {
      RaiseBound(answer.bound);
      stopped_by_ = "gap";
    } else if (settled) {
      by_tolerance_ = bound_ < result_.cost;
      RaiseBound(result_.cost);
    } else {
      by_tolerance_ |= answer.bound > bound_;
      RaiseBound(answer.bound);
    }
    Note();
    EndPhase("branch and bound");
    return settled || Done();
  }

  // Nothing is better than `wanted`, or (if a gap was asked for) nothing by more than the gap.
  void Settle(int64_t wanted, double gap) {
    if (wanted < kInfinite) {
      by_tolerance_ = true;
      RaiseBound(wanted - static_cast<int64_t>(std::ceil(gap)));
      if (gap > 0) stopped_by_ = "gap";
      CutOff();
    } else {
      infeasible_ = true;
      if (problem_.usage_limit) result_.peak_bound = *problem_.usage_limit + 1;
    }
  }

  SolveResult Answer() {
    result_.work = budget_.work();
    result_.bound = bound_;
    if (infeasible_) {
      result_.status = SolveStatus::kInfeasible;
      result_.bound = 0;
    } else if (!found_) {
      result_.status = SolveStatus::kNoPlan;
    } else {
      result_.bound = reported_bound();
      const bool optimal = result_.bound == result_.cost;
      result_.status = optimal ? SolveStatus::kOptimal : SolveStatus::kGap;
      if (bound_ <= -kInfinite) result_.status = SolveStatus::kHeuristic;
      result_.by_tolerance = by_tolerance_;
    }
    if (result_.status == SolveStatus::kGap || result_.status == SolveStatus::kNoPlan) {
      result_.stopped_by = budget_.stopped_by().empty() ? stopped_by_ : budget_.stopped_by();
    }
    return std::move(result_);
  }

  const Problem& problem_;
  const SolveOptions& options_;
  const Arrangement arrangement_;
  Budget budget_;
  SolveResult result_;
  bool found_ = false;
  bool infeasible_ = false;
  bool by_tolerance_ = false;
  int64_t bound_ = -kInfinite;
  // Choices of at least this cost may be missing from what is searched.
  int64_t pruned_at_ = kInfinite;
  double pruned_gap_ = 1e300;
  double phase_start_ = 0;
  std::string_view stopped_by_;
  // The optimum without the limit, if it does not fit.
  Choice relaxed_;
  int64_t finished_at_ = 0;
  // Share of the bound above it at which a choice is looked for next.
  double guess_ = 0.0025;
  double noted_gap_ = 1e300;
  int64_t noted_work_ = 0;
};

}  // namespace

Result<SolveResult> RunSchedule(const Problem& problem,
                                const SolveOptions& options,
                                const Arrangement& arrangement) {
  return Schedule(problem, options, arrangement).Run();
}

}  // namespace metadist
