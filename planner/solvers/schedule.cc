// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/schedule.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "planner/solvers/bounds/elimination.h"
#include "planner/solvers/branching.h"
#include "planner/solvers/moves/primal.h"
#include "planner/solvers/outcome.h"
#include "planner/solvers/search.h"

namespace metadist {

// Every stage either proves something or makes the next one smaller.
//  1. Exact reduction (reduce/).
//  2. The optimum without the limit, by bucket elimination in integers. If it fits the limit, it
//     is the optimum; otherwise its cost is a bound and, once repaired, it is a first incumbent.
//  3. Epochs of search (search.h) raise the bound and lower the incumbent's cost. After each,
//     whatever is too expensive for a better choice is pruned and the rest reduced again. Often
//     bound and incumbent meet, and the proof is exact arithmetic. Epochs start short and grow, so
//     small problems do not wait for long ones.
//  4. When the bound has converged and pruning deletes nothing more, branch and bound
//     (branching.h) on the remaining problem if it is small enough. Its proof depends on CBC's
//     tolerances.
//
// An incumbent counts only after Evaluate. The first one is the choice of least memory of the
// reduced problem; those found by local search are taken as they are found.
//
// The run ends by itself when nothing has improved for as long as all improvements together took.

namespace {

// At the end of the search, branch and bound is tried on problems of at most this size.
constexpr int64_t kMostEntries = 400'000;
constexpr int64_t kLeastEpoch = kWorkPerSecond / 10'000;
constexpr int64_t kLargestEpoch = 2 * kWorkPerSecond;
// If the first epoch is longer than this, the first choices of the bound side are finished early:
// they are poor but soon available.
constexpr double kLongEpoch = kWorkPerSecond / 2.0;
constexpr int64_t kGlance = kWorkPerSecond / 4;
constexpr double kEpochGrowth = 1.25;
constexpr int64_t kRoundsOfFirstEpoch = 80;
// The run ends after this many rounds over the remaining problem without a gain, within these
// limits.
constexpr int64_t kPatienceRounds = 32'000;
constexpr int64_t kLeastPatience = kWorkPerSecond / 1000;
constexpr int64_t kLargestPatience = 20 * kWorkPerSecond;

class Schedule {
 public:
  Schedule(const Problem& problem, const SolveOptions& options, const SuiteParts& parts)
      : problem_(problem),
        options_(options),
        parts_(parts),
        out_(problem, options),
        branching_(out_) {}

  SolveResult Run() {
    Reduced reduced = out_.Reduce(ReduceMode::kFull);
    if (reduced.infeasible) return out_.Finish();
    if (reduced.count() == 0) {
      out_.RaiseBound(reduced.constant);
      out_.Take(reduced.Expand({}));
    } else {
      // On large problems the later stages take seconds, and this choice fits most limits.
      out_.Take(reduced.Expand(LeastMemoryChoice(reduced)));
      if (!parts_.eliminate || !SolveWithoutMemory(reduced)) {
        SolveWithMemory(std::move(reduced));
      }
    }
    return out_.Finish();
  }

 private:
  // A reduction under the limit also keeps the cheapest choice without the limit.
  static Reduced WithoutMemory(Reduced reduced) {
    if (!reduced.limit) return reduced;
    reduced.limit.reset();
    reduced.graph.limit.reset();
    reduced.base.clear();
    reduced.rows.Clear();
    return ReduceAgain(std::move(reduced)).reduced;
  }

  // True if that solves the problem.
  bool SolveWithoutMemory(const Reduced& reduced) {
    const Reduced narrow = WithoutMemory(reduced);
    const std::optional<ExactOptimum> optimum = MinimizeWithoutMemory(narrow);
    out_.EndPhase("eliminate");
    if (!optimum) return false;
    if (IsInfinite(optimum->cost)) {
      out_.SetInfeasible(0);
      return true;
    }
    out_.RaiseBound(optimum->cost);
    relaxed_ = narrow.Expand(optimum->choice);
    return out_.Take(relaxed_) || out_.CutOff();
  }

  void SolveWithMemory(Reduced reduced) {
    Search search(std::move(reduced), options_.seed, out_.budget());
    if (out_.found()) search.Offer(out_.choice());
    if (!relaxed_.empty()) search.Offer(relaxed_);
    search.OnImprovement([this](const Choice& choice) { out_.Take(choice); });
    search.Start();
    Collect(search);
    if (parts_.search) {
      RunEpochs(search);
    } else {
      Finish(search);
    }
    if (!out_.stopped()) out_.SetStop("size");
  }

  void Collect(const Search& search) {
    if (search.found() && (!out_.found() || search.cost() < out_.cost())) {
      out_.Take(search.Original());
    }
  }

  void RunEpochs(Search& search) {
    double length = static_cast<double>(
        std::max(kLeastEpoch, kRoundsOfFirstEpoch * std::max<int64_t>(1, search.entries())));
    if (length > kLongEpoch) BeginLong(search, static_cast<int64_t>(length));
    for (int epoch = 0; !out_.Done(); ++epoch) {
      const int64_t work = std::min(
          {static_cast<int64_t>(length), kLargestEpoch, out_.budget().work_left() / 2 + 1});
      length = std::min(length * kEpochGrowth, 1e18);
      search.Epoch({search.converged() ? 0 : work, work}, GoalOfEpoch(), options_.threads);
      out_.RaiseBound(search.bound());
      Collect(search);
      Note();
      out_.EndPhase("search");
      if (out_.Done()) return;
      if (!out_.found() && epoch == 1) ForceFit(search);
      const bool shrank = Prune(search);
      if (out_.Done() || Settled(search)) return;
      if (!shrank && parts_.finish && search.converged() && Branch(search)) return;
      if (Exhausted(search)) return;
    }
  }

  // The bound or cost that each side must reach, given the other's current state, for a small
  // enough gap.
  Search::Goal GoalOfEpoch() const {
    Search::Goal goal{.upper = out_.upper()};
    // Slightly less, because the final gap is computed from proven integers.
    const double gap = 0.999 * options_.gap;
    if (gap <= 0) return goal;
    if (out_.found()) {
      const double cost = static_cast<double>(out_.cost());
      goal.bound = cost - gap * std::abs(cost);
    }
    const double bound = static_cast<double>(out_.bound());
    goal.cost = bound <= 0 ? bound / (1 + gap) : bound / std::max(1e-9, 1 - gap);
    return goal;
  }

  // The first epoch of the bound side, in two parts.
  void BeginLong(Search& search, int64_t work) {
    // The length of price steps depends on the cost known before: choices as poor as these must not
    // shorten them.
    Search::Goal goal = GoalOfEpoch();
    const int64_t most = out_.budget().work_left() / 2 + 1;
    search.Epoch({std::min(kGlance, most), 0}, goal, options_.threads);
    search.FinishRounded();
    Collect(search);
    goal.bound = GoalOfEpoch().bound;
    search.Epoch({std::min(work - kGlance, most), 0}, goal, options_.threads);
    out_.RaiseBound(search.bound());
    out_.EndPhase("search");
  }

  // Records when the gap last shrank by more than a hundredth of itself.
  void Note() {
    if (!out_.found()) return;
    const double gap = static_cast<double>(out_.cost()) - static_cast<double>(out_.bound());
    if (gap >= 0.99 * noted_gap_) return;
    noted_gap_ = gap;
    noted_work_ = out_.budget().work();
  }

  bool Prune(Search& search) {
    if (out_.upper() >= kInfinite) return false;
    // What can be pruned depends on the gap, and finding it costs many sweeps.
    const double gap = static_cast<double>(out_.upper()) - static_cast<double>(out_.bound());
    if (gap >= 0.95 * pruned_gap_) return false;
    pruned_gap_ = gap;
    const int64_t upper = out_.upper();
    if (!search.Prune(upper - 1)) return false;
    out_.SetPrunedAt(upper);
    out_.SetDeletions(search.reduced().deletions);
    out_.EndPhase("prune");
    return true;
  }

  // A remaining problem with no choice, or only one, settles the original problem.
  bool Settled(Search& search) {
    if (search.reduced().infeasible) {
      out_.RaiseBound(kInfinite);
    } else if (search.reduced().count() == 0) {
      out_.Take(search.reduced().Expand({}));
      out_.RaiseBound(search.reduced().constant);
    } else {
      Collect(search);
      return false;
    }
    out_.Done();
    return true;
  }

  // True if that solves the problem.
  bool Branch(Search& search) {
    const bool settled = branching_.Try(search);
    Note();
    out_.EndPhase("branch and bound");
    return settled;
  }

  void Finish(Search& search) {
    branching_.TryWhole(search, kInfinite);
    out_.EndPhase("branch and bound");
  }

  bool Exhausted(Search& search) {
    const int64_t rounds = kPatienceRounds * search.entries();
    const int64_t patience =
        std::max(std::clamp(rounds, kLeastPatience, kLargestPatience), noted_work_);
    if (out_.budget().work() < noted_work_ + patience) return false;
    if (parts_.finish && search.entries() <= kMostEntries) Finish(search);
    return true;
  }

  // Without an incumbent: the choice of least peak fits if any choice does.
  void ForceFit(Search& search) {
    if (!problem_.usage_limit || !out_.TakeLeastPeak()) return;
    search.Offer(out_.choice());
    out_.EndPhase("least memory");
  }

  const Problem& problem_;
  const SolveOptions& options_;
  const SuiteParts parts_;
  Outcome out_;
  Branching branching_;
  double pruned_gap_ = 1e300;
  // The optimum without the limit, if it does not fit.
  Choice relaxed_;
  double noted_gap_ = 1e300;
  int64_t noted_work_ = 0;
};

}  // namespace

Result<SolveResult> RunSchedule(const Problem& problem,
                                const SolveOptions& options,
                                const SuiteParts& parts) {
  return Schedule(problem, options, parts).Run();
}

}  // namespace metadist
