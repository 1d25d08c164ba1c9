// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <optional>

#include "planner/solvers/bounds/links.h"
#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/minimum_peak.h"
#include "planner/solvers/moves/primal.h"
#include "planner/solvers/outcome.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/solver.h"

namespace metadist {

// A feasible choice drawn by seed, to test later stages on plans that no optimiser would make.
//
// The reduction rules that keep every feasible choice merge dependent and tied nodes into classes.
// Then classes are visited in random order; each takes one of its remaining strategies with equal
// probability, and arc consistency deletes strategies without an allowed partner. If that leaves a
// class empty, the draw is undone and the drawn strategy deleted instead; after too many of those
// the drawing restarts. Without forbidden pairs between classes this is the uniform distribution.
//
// With a limit, the draw is repaired by the cheapest moves under random costs; if that fails, the
// choice of least peak is changed by random moves that stay within the limit.

namespace {

constexpr int kRestarts = 20;
constexpr int kDrawsTakenBack = 2000;

class RandomSolver {
 public:
  RandomSolver(const Problem& problem, const SolveOptions& options)
      : problem_(problem), options_(options), budget_(options), random_(options.seed) {}

  Result<SolveResult> Run() {
    reduced_ = Reduce(problem_, ReduceMode::kKeepAllChoices);
    result_.reduced = reduced_.counts();
    result_.bound = -kInfinite;
    if (reduced_.infeasible) {
      SetInfeasible(PeakBoundAfterReduction(problem_));
      return std::move(result_);
    }
    links_ = MakeLinks(reduced_);
    std::optional<Choice> choice;
    for (int k = 0; k < kRestarts && !choice && !budget_.Spent(); ++k) choice = Draw();
    if (choice && !MemoryProfile(reduced_, *choice).fits()) {
      RepairAtRandomCosts(*choice);
    }
    if (!choice || !MemoryProfile(reduced_, *choice).fits()) choice = TRY(PerturbedLeastPeak());
    if (choice) Take(reduced_.Expand(*choice));
    result_.seconds.emplace_back("draw", budget_.seconds());
    result_.work = budget_.work();
    if (result_.status == SolveStatus::kNoPlan) result_.stopped_by = budget_.stopped_by();
    return std::move(result_);
  }

 private:
  void SetInfeasible(int64_t peak_bound) {
    result_.status = SolveStatus::kInfeasible;
    result_.bound = 0;
    result_.peak_bound = peak_bound;
  }

  void Take(Choice choice) {
    const Evaluation evaluation = Evaluate(problem_, choice);
    if (!evaluation.feasible()) return;
    result_.status = SolveStatus::kHeuristic;
    result_.choice = std::move(choice);
    result_.cost = static_cast<int64_t>(evaluation.cost);
    result_.peak = evaluation.peak;
  }

  using Alive = std::vector<std::vector<char>>;

  // Deletes strategies left without a partner after `node` changed. False if a node becomes empty.
  bool Propagate(Alive& alive, int node) {
    std::deque<int> queue = {node};
    while (!queue.empty()) {
      const int from = queue.front();
      queue.pop_front();
      for (const Link& link : links_[from]) {
        const std::vector<int64_t>& costs = reduced_.edges[link.edge].costs;
        const size_t own = reduced_.size(from);
        const size_t other = reduced_.size(link.other);
        budget_.AddWork(static_cast<int64_t>(own * other));
        bool changed = false;
        bool any = false;
        for (size_t q = 0; q < other; ++q) {
          if (!alive[link.other][q]) continue;
          bool supported = false;
          for (size_t p = 0; p < own && !supported; ++p) {
            const int64_t cost = link.first ? costs[p * other + q] : costs[q * own + p];
            supported = alive[from][p] && !IsInfinite(cost);
          }
          any |= supported;
          changed |= !supported;
          alive[link.other][q] = supported;
        }
        if (!any) return false;
        if (changed) queue.push_back(link.other);
      }
    }
    return true;
  }

  std::optional<Choice> Draw() {
    const int count = reduced_.count();
    Alive alive(count);
    for (int i = 0; i < count; ++i) {
      for (int64_t cost : reduced_.costs[i]) alive[i].push_back(!IsInfinite(cost));
    }
    std::vector<int> order = Indices(count);
    random_.Shuffle(order);
    Choice out(count, 0);
    int taken_back = 0;
    for (int i : order) {
      while (true) {
        if (budget_.Spent()) return std::nullopt;
        std::vector<int> left;
        for (int p = 0; p < reduced_.size(i); ++p) {
          if (alive[i][p]) left.push_back(p);
        }
        if (left.empty()) return std::nullopt;
        const int drawn = left[random_.Below(static_cast<int64_t>(left.size()))];
        if (links_[i].empty()) {
          out[i] = drawn;
          break;
        }
        Alive next = alive;
        std::fill(next[i].begin(), next[i].end(), 0);
        next[i][drawn] = 1;
        if (Propagate(next, i)) {
          alive = std::move(next);
          out[i] = drawn;
          break;
        }
        alive[i][drawn] = 0;
        if (++taken_back > kDrawsTakenBack || !Propagate(alive, i)) return std::nullopt;
      }
    }
    return out;
  }

  // The choice may still not fit afterwards.
  void RepairAtRandomCosts(Choice& choice) {
    Reduced shuffled = reduced_;
    for (int64_t& cost : shuffled.costs.values())
      cost = IsInfinite(cost) ? kInfinite : random_.Below(1 << 20);
    for (Reduced::Edge& edge : shuffled.edges) {
      for (int64_t& cost : edge.costs) cost = IsInfinite(cost) ? kInfinite : 0;
    }
    const Dual tables(shuffled);
    Primal primal(shuffled, tables);
    primal.Repair(choice, 10 * reduced_.count() + 100);
    budget_.AddWork(primal.work());
  }

  // nullopt if no choice was found; sets the status if none exists.
  Result<std::optional<Choice>> PerturbedLeastPeak() {
    const Result<MinimumPeakResult> found = MinimumPeak(problem_, options_);
    if (!found.ok()) {
      const ErrorCode code = found.error().code;
      if (code == ErrorCode::kTimeLimit || code == ErrorCode::kInterrupted) {
        return std::optional<Choice>();
      }
      return found.error();
    }
    const MinimumPeakResult& least = found.value();
    if (!least.feasible || (problem_.usage_limit && least.bound > *problem_.usage_limit)) {
      SetInfeasible(least.feasible ? least.bound : 0);
      return std::optional<Choice>();
    }
    if (problem_.usage_limit && least.peak > *problem_.usage_limit) return std::optional<Choice>();
    // The reduction keeps all feasible choices.
    std::optional<Choice> choice = reduced_.Contract(least.choice);
    if (choice) Perturb(*choice);
    return choice;
  }

  void Perturb(Choice& choice) {
    MemoryProfile profile(reduced_, choice);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < reduced_.count(); ++i) {
        const int drawn = random_.Below(reduced_.size(i));
        const std::vector<int64_t> costs = ConditionalCosts(reduced_, links_, i, choice);
        if (IsInfinite(costs[drawn])) continue;
        profile.Move(i, choice[i], drawn);
        if (profile.fits()) {
          choice[i] = drawn;
        } else {
          profile.Move(i, drawn, choice[i]);
        }
      }
    }
  }

  const Problem& problem_;
  const SolveOptions& options_;
  Budget budget_;
  Random random_;
  Reduced reduced_;
  Jagged<Link> links_;
  SolveResult result_;
};

}  // namespace

const SolverDef kRandomSolver = {
    .name = "random",
    .summary = "a random feasible choice by seed, for tests; ignores costs",
    .solve = SolveWith<RandomSolver>,
    .optimizes = false,
};

}  // namespace metadist
