// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "planner/solvers/budget.h"
#include "planner/solvers/elimination.h"
#include "planner/solvers/evaluate.h"
#include "planner/solvers/marginal.h"
#include "planner/solvers/memory_profile.h"
#include "planner/solvers/minimum_peak.h"
#include "planner/solvers/search.h"
#include "planner/solvers/solver.h"

namespace metadist {

// The exact solver: every stage is a proof or makes the next one smaller.
//  1. Exact reduction (reduce/).
//  2. The optimum without the limit, by bucket elimination in integers. If it fits the limit, it is
//     the optimum; otherwise its cost is a bound and, repaired, a first incumbent.
//  3. Rounds of price search: bound up, incumbent down, strategies deleted (search.h). Often the
//  two
//     meet, and the bound is exact arithmetic.
//  4. The marginalised integer program of what is left by CBC, memory rows added as solutions
//     violate them. Its proof rests on CBC's tolerances.
// Stages 3 and 4 take turns by counted rounds. An incumbent counts only after Evaluate.

namespace {

// CBC is tried below this.
constexpr int64_t kMostEntries = 400'000;
constexpr int kSearchRounds = 16;
// Search ends after this many rounds in a row that neither shrank the problem nor helped much.
constexpr int kIdleRounds = 2;
constexpr int kDearestTimes = 60;

class Ilp {
 public:
  Ilp(const Problem& problem, const SolveOptions& options)
      : problem_(problem), options_(options), budget_(options) {}

  SolveResult Run() {
    Reduced reduced = Reduce(problem_, ReduceMode::kFull);
    result_.reduced = reduced.counts();
    result_.deletions = reduced.deletions;
    budget_.AddWork(1 + result_.reduced.entries);
    EndPhase("reduce");
    if (reduced.infeasible) {
      Infeasible();
    } else if (!SolveWithoutMemory(reduced)) {
      SolveWithMemory(std::move(reduced));
    }
    return Finish();
  }

 private:
  // Takes a choice of the original problem if it is feasible and better.
  void Take(const Choice& choice) {
    const Evaluation evaluation = Evaluate(problem_, choice);
    if (!evaluation.feasible()) return;
    const int64_t cost = static_cast<int64_t>(evaluation.cost);
    if (!result_.choice.empty() && cost >= result_.cost) return;
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
                       bound_,
                       result_.deletions,
                       found_ ? &result_.choice : nullptr});
  }

  void EndPhase(std::string_view phase) {
    const double now = budget_.seconds();
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

  // True if that settles the problem.
  bool SolveWithoutMemory(const Reduced& reduced) {
    std::optional<ExactOptimum> optimum;
    if (!reduced.limit) {
      optimum = MinimizeWithoutMemory(reduced);
      if (optimum && !IsInfinite(optimum->cost)) optimum->choice = reduced.Expand(optimum->choice);
    } else {
      const Reduced free = Reduce(problem_, ReduceMode::kWithoutMemory);
      optimum = MinimizeWithoutMemory(free);
      if (optimum && !IsInfinite(optimum->cost)) optimum->choice = free.Expand(optimum->choice);
    }
    EndPhase("eliminate");
    if (!optimum) return false;
    if (IsInfinite(optimum->cost)) {
      infeasible_ = true;
      return true;
    }
    bound_ = optimum->cost;
    Take(optimum->choice);
    if (found_) return true;
    relaxed_ = std::move(optimum->choice);
    return CutOff();
  }

  bool Done(const PriceSearch& search) {
    if (search.found()) Take(search.Original());
    bound_ = std::max(bound_, search.bound());
    if (found_ && bound_ >= result_.cost) return true;
    if (CutOff()) return true;
    if (found_ && options_.gap > 0 && GapReached()) {
      stopped_by_ = "gap";
      return true;
    }
    return budget_.Spent();
  }

  // True if nothing wanted is left.
  bool CutOff() {
    if (bound_ < Cutoff()) return false;
    stopped_by_ = "cutoff";
    return true;
  }

  int64_t Cutoff() const { return options_.cutoff.value_or(kInfinite); }

  // Whether the gap lost a twentieth of itself since `cost` and `bound`.
  static bool Helped(const PriceSearch& search, int64_t cost, int64_t bound) {
    if (!search.found()) return false;
    const double before = static_cast<double>(cost) - static_cast<double>(bound);
    const double after = static_cast<double>(search.cost()) - static_cast<double>(search.bound());
    return after < 0.95 * before;
  }

  bool GapReached() const {
    return static_cast<double>(result_.cost - bound_) <=
           options_.gap * std::abs(static_cast<double>(result_.cost));
  }

  void SolveWithMemory(Reduced reduced) {
    PriceSearch search(std::move(reduced), options_.seed, budget_);
    if (options_.initial.size() == problem_.nodes.size()) {
      Take(options_.initial);
      search.Offer(options_.initial);
    }
    if (!relaxed_.empty()) search.Offer(relaxed_);
    search.Start();
    bool done = Done(search);
    int idle = 0;
    for (int round = 0; round < kSearchRounds && !done && idle < kIdleRounds; ++round) {
      const int64_t entries = search.reduced().counts().entries;
      const int64_t cost = search.found() ? search.cost() : kInfinite;
      const int64_t bound = search.bound();
      search.RaiseBound(round == 0 ? 120 : 80);
      done = Done(search);
      if (done) break;
      if (!search.found()) ForceFit(search);
      if (infeasible_) return;
      search.Improve(20);
      search.Prune();
      done = Done(search);
      const bool shrank = search.reduced().counts().entries < entries * 0.9;
      idle = shrank || Helped(search, cost, bound) ? 0 : idle + 1;
    }
    result_.deletions = search.reduced().deletions;
    EndPhase("search");
    if (done) return;
    if (search.reduced().counts().entries <= kMostEntries) {
      FinishByCbc(search);
    } else {
      stopped_by_ = "size";
    }
    EndPhase("branch and bound");
    Done(search);
  }

  // No incumbent: asks for the choice of least peak, which fits if anything does; its bound may
  // prove that nothing does.
  void ForceFit(PriceSearch& search) {
    if (!problem_.usage_limit) return;
    SolveOptions options = options_;
    options.progress = nullptr;
    if (options.time_limit_seconds > 0) {
      options.time_limit_seconds = std::max(0.01, budget_.seconds_left());
    }
    if (options.work_limit > 0) options.work_limit = std::max<int64_t>(1, budget_.work_left());
    const Result<MinimumPeakResult> least = MinimumPeak(problem_, options);
    if (!least.ok()) return;
    if (!least.value().feasible || least.value().bound > *problem_.usage_limit) {
      infeasible_ = true;
      result_.peak_bound = least.value().feasible ? least.value().bound : 0;
      return;
    }
    Take(least.value().choice);
    search.Offer(least.value().choice);
  }

  // A proof of optimality or infeasibility ends it; otherwise the bound may have risen.
  void FinishByCbc(PriceSearch& search) {
    const Reduced& reduced = search.reduced();
    MarginalProgram program(reduced, MarginalProgram::Objective::kCost, 1);
    SeedTimes(search, program);
    const double shift =
        static_cast<double>(program.offset()) + static_cast<double>(reduced.constant);
    const double unit = program.objective_unit();
    while (!budget_.Spent()) {
      MipOptions options;
      options.seconds = budget_.seconds_left();
      if (options_.work_limit > 0) options.work = budget_.work_left();
      options.interrupted = options_.interrupted;
      const int64_t upper = found_ ? std::min(result_.cost, Cutoff()) : Cutoff();
      if (upper < kInfinite) options.cutoff = (static_cast<double>(upper) - 0.5 - shift) / unit;
      if (found_ && options_.gap > 0) {
        options.gap = options_.gap * std::abs(static_cast<double>(result_.cost)) / unit;
      }
      const MipResult answer = SolveMip(program.model(), options);
      budget_.AddWork(answer.work);
      if (answer.status == MipResult::Status::kInfeasible) {
        if (upper < kInfinite) {
          // Nothing is better, or (if a gap was asked for) nothing by more than the gap.
          RaiseBound(upper - static_cast<int64_t>(std::ceil(options.gap * unit)));
          if (options.gap > 0) stopped_by_ = "gap";
        } else {
          infeasible_ = true;
          if (problem_.usage_limit) result_.peak_bound = *problem_.usage_limit + 1;
        }
        return;
      }
      const double proven = answer.bound * unit + shift;
      const double margin = 1e-6 * (std::abs(proven - shift) + unit) + 1;
      if (proven > -1e18) RaiseBound(static_cast<int64_t>(std::floor(proven - margin)));
      if (answer.solution.empty()) return;
      const Choice choice = program.Read(answer.solution);
      const bool fits = AddViolated(reduced, choice, program);
      search.Offer(reduced.Expand(choice));
      if (search.found()) Take(search.Original());
      if (!fits) continue;
      search.Take(choice);
      Take(reduced.Expand(choice));
      if (answer.status != MipResult::Status::kOptimal) return;
      if (options.gap > 0) {
        stopped_by_ = "gap";
      } else {
        bound_ = result_.cost;
      }
      return;
    }
  }

  void RaiseBound(int64_t value) {
    if (found_) value = std::min(value, result_.cost);
    bound_ = std::max(bound_, value);
  }

  void SeedTimes(const PriceSearch& search, MarginalProgram& program) {
    const std::vector<double>& prices = search.prices();
    std::vector<int> times;
    for (size_t t = 0; t < prices.size(); ++t) {
      if (prices[t] > 0) times.push_back(static_cast<int>(t));
    }
    std::stable_sort(
        times.begin(), times.end(), [&](int a, int b) { return prices[a] > prices[b]; });
    if (times.size() > kDearestTimes) times.resize(kDearestTimes);
    for (int t : times) program.AddTime(t);
  }

  // True if the choice fits; otherwise its violated peaks are in the program now.
  static bool AddViolated(const Reduced& reduced, const Choice& choice, MarginalProgram& program) {
    if (!reduced.limit) return true;
    const std::vector<int64_t> usage = MemoryProfile(reduced, choice).usage();
    const std::vector<int> peaks = ViolatedPeaks(usage, *reduced.limit);
    bool added = false;
    for (int t : peaks) added |= program.AddTime(t);
    if (!added && !peaks.empty()) program.AddCover(choice, peaks.front());
    return peaks.empty();
  }

  SolveResult Finish() {
    result_.work = budget_.work();
    result_.bound = bound_;
    if (infeasible_) {
      result_.status = SolveStatus::kInfeasible;
      result_.bound = 0;
    } else if (!found_) {
      result_.status = SolveStatus::kNoPlan;
    } else {
      result_.bound = std::min(bound_, result_.cost);
      const bool optimal = result_.bound == result_.cost;
      result_.status = optimal ? SolveStatus::kOptimal : SolveStatus::kGap;
      if (bound_ <= -kInfinite) result_.status = SolveStatus::kHeuristic;
    }
    if (result_.status == SolveStatus::kGap || result_.status == SolveStatus::kNoPlan) {
      result_.stopped_by = budget_.stopped_by().empty() ? stopped_by_ : budget_.stopped_by();
    }
    return std::move(result_);
  }

  const Problem& problem_;
  const SolveOptions& options_;
  Budget budget_;
  SolveResult result_;
  bool found_ = false;
  bool infeasible_ = false;
  int64_t bound_ = -kInfinite;
  double phase_start_ = 0;
  std::string_view stopped_by_;
  // The optimum without the limit, if it does not fit.
  Choice relaxed_;
};

Result<SolveResult> Solve(const Problem& problem, const SolveOptions& options) {
  return Ilp(problem, options).Run();
}

}  // namespace

extern const SolverDef kIlpSolver;
const SolverDef kIlpSolver = {
    "ilp",
    "exact: reduction, elimination, priced memory, then the marginalised integer program by CBC",
    Solve,
};

}  // namespace metadist
