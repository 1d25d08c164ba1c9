// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "planner/solvers/dual.h"
#include "planner/solvers/elimination.h"
#include "planner/solvers/improve.h"
#include "planner/solvers/memory_profile.h"
#include "planner/solvers/outcome.h"
#include "planner/solvers/priced_elimination.h"
#include "planner/solvers/solver.h"
#include "planner/solvers/splice.h"

namespace metadist {

// Dynamic programming: exact reduction, then bucket elimination (elimination.h). Models are chains
// with skips, so tables stay small and time is linear in depth. Without a limit, or with one that
// the optimum happens to keep, that is a proof.
//
// Under a limit the state would have to hold the memory of every live tensor, so the limit is
// priced instead, by a subgradient method. Message passing (dual.h) finds good prices quickly; then
// elimination is the exact oracle: its minimiser gives a true subgradient (usage - limit at every
// time) and its value a bound in integers, the best that these prices can give
// (priced_elimination.h). Choices come from the minimisers, repaired, polished and spliced with one
// another, and from local search by elimination on regions (improve.h). Between the two a duality
// gap may remain that prices cannot close; the status says so.
// Prices: step = eta x (best cost - bound) / |g|^2 along g with momentum 0.6; after 15 rounds
// without gain eta shrinks by 0.7 and the best prices return; a better choice restores it.
//
// Where even the reduced graph is too wide for exact tables, the oracle is left out: elimination
// then serves regions only, with nodes of high degree kept at their strategy (conditioning), and
// the bound is that of message passing.

namespace {

constexpr int kMessageRounds = 300;
constexpr int kMostExactRounds = 200;
constexpr int kLeastExactRounds = 20;
// Local search at the best prices after so many rounds.
constexpr int kImproveEvery = 50;
constexpr int kImproveRounds = 20;
// Minimisers are repaired and spliced after so many rounds.
constexpr int kOfferEvery = 10;
constexpr int kExactOfferEvery = 4;
constexpr int kStallRounds = 15;
constexpr double kSmallestStep = 1e-3;
// Rounds get fewer where the tables are larger.
constexpr double kTableEntries = 2e9;
constexpr int kSweepsOfProof = 40;

class DynamicProgram {
 public:
  DynamicProgram(const Problem& problem, const SolveOptions& options)
      : problem_(problem), options_(options), out_(problem, options), random_(options.seed) {}

  Result<SolveResult> Run() {
    reduced_ = Reduce(problem_, ReduceMode::kFull);
    out_.SetReduced(reduced_);
    out_.EndPhase("reduce");
    if (reduced_.infeasible) {
      out_.SetInfeasible();
      return out_.Finish();
    }
    WithoutMemory();
    out_.EndPhase("eliminate");
    if (out_.Done()) return out_.Finish();
    dual_.emplace(reduced_);
    improver_.emplace(reduced_, *dual_, options_.seed, out_.budget());
    FirstChoice();
    if (!out_.found()) LeastPeak();
    if (!out_.Done()) MovePrices();
    out_.EndPhase("prices");
    return out_.Finish();
  }

 private:
  void WithoutMemory() {
    std::optional<Reduced> relaxed;
    if (reduced_.limit) relaxed = Reduce(problem_, ReduceMode::kWithoutMemory);
    const Reduced& free = relaxed ? *relaxed : reduced_;
    const std::optional<ExactOptimum> optimum = MinimizeWithoutMemory(free);
    if (!optimum) return;
    if (IsInfinite(optimum->cost)) {
      out_.SetInfeasible(0);
      return;
    }
    out_.RaiseBound(optimum->cost);
    start_ = free.Expand(optimum->choice);
    out_.Take(start_);
  }

  // Takes what the improver holds; a better choice is worth longer steps again.
  void TakeIncumbent() {
    if (!improver_->found() || (out_.found() && improver_->cost() >= out_.cost())) return;
    out_.Take(reduced_.Expand(improver_->incumbent()));
    step_ = std::max(step_, 0.5);
  }

  void FirstChoice() {
    for (const Choice& known : {out_.choice(), start_}) {
      if (known.empty()) continue;
      std::optional<Choice> choice = reduced_.Contract(known);
      if (choice) improver_->Finish(*choice);
    }
    improver_->Start();
    TakeIncumbent();
  }

  // Whether anything fits at all, and something that does.
  void LeastPeak() {
    if (!problem_.usage_limit || out_.budget().Spent()) return;
    if (!out_.TakeLeastPeak()) return;
    std::optional<Choice> choice = reduced_.Contract(out_.choice());
    if (choice) improver_->Finish(*choice);
    TakeIncumbent();
  }

  // Repairs, polishes and splices a minimiser at the current prices.
  void Offer(const Choice& choice) {
    const bool fits = MemoryProfile(reduced_, choice).fits();
    std::optional<Choice>& same = fits ? last_fitting_ : last_exceeding_;
    const std::optional<Choice>& opposite = fits ? last_exceeding_ : last_fitting_;
    if (same == choice) return;
    same = choice;
    Choice candidate = choice;
    improver_->Finish(candidate);
    auto splice = [&](const Choice& from, const Choice& to) {
      std::optional<Choice> mixed = Splice(reduced_, dual_->links(), from, to, random_);
      out_.budget().AddWork(reduced_.count());
      if (mixed) improver_->Finish(*mixed);
    };
    if (opposite) {
      splice(*opposite, choice);
      splice(choice, *opposite);
    }
    if (improver_->found()) splice(improver_->incumbent(), choice);
    TakeIncumbent();
  }

  void MovePrices() {
    best_prices_.assign(reduced_.base.size(), 0);
    Climb(kMessageRounds, [this] { return AskByMessages(); });
    // However little was allowed: without a bound there would be no gap to tell.
    ProveByMessages();
    if (out_.Done()) return;
    std::optional<EliminationPlan> plan = BestElimination(reduced_);
    if (!plan) return;
    const double affordable = kTableEntries / std::max(1.0, plan->total);
    const int rounds = static_cast<int>(std::clamp(
        affordable, static_cast<double>(kLeastExactRounds), static_cast<double>(kMostExactRounds)));
    exact_.emplace(reduced_, std::move(*plan));
    best_ = -1e300;
    step_ = 0.3;
    Climb(rounds, [this] { return AskExactly(); });
  }

  struct Answer {
    // Its usage is the direction.
    Choice choice;
    double bound = 0;
  };

  template <typename Oracle>
  void Climb(int rounds, const Oracle& ask) {
    prices_ = best_prices_;
    momentum_.assign(prices_.size(), 0);
    int stalled = 0;
    for (int round = 1; round <= rounds && step_ > kSmallestStep; ++round) {
      const Answer answer = ask();
      if (out_.Done()) return;
      if (answer.bound > best_ + 1e-7 * std::abs(best_)) {
        best_ = answer.bound;
        best_prices_ = prices_;
        stalled = 0;
      } else if (++stalled > kStallRounds) {
        step_ *= 0.7;
        stalled = 0;
        prices_ = best_prices_;
        std::fill(momentum_.begin(), momentum_.end(), 0);
      }
      if (round % (exact_ ? kExactOfferEvery : kOfferEvery) == 0) Offer(answer.choice);
      if (round % kImproveEvery == 0) Improve();
      if (out_.Done()) return;
      // Messages may still move where prices do not.
      if (!Step(answer.choice, answer.bound) && exact_) return;
    }
  }

  Answer AskByMessages() {
    dual_->SetPrices(prices_);
    const double bound = dual_->Sweep();
    out_.budget().AddWork(2 * reduced_.counts().entries + reduced_.count());
    return {dual_->Round(), bound};
  }

  Answer AskExactly() {
    PricedElimination::Answer answer = exact_->Minimize(prices_);
    out_.budget().AddWork(exact_->work());
    if (IsInfinite(answer.bound)) {
      out_.SetInfeasible();
    } else {
      out_.RaiseBound(answer.bound);
    }
    return {std::move(answer.choice), static_cast<double>(answer.bound)};
  }

  void Improve() {
    Guide guide;
    guide.prices = best_prices_;
    guide.bound = best_;
    guide.enough = static_cast<double>(out_.bound());
    guide.start = dual_->Round();
    improver_->Improve(kImproveRounds, guide);
    TakeIncumbent();
  }

  void ProveByMessages() {
    dual_->SetPrices(best_prices_);
    for (int k = 0; k < kSweepsOfProof; ++k) dual_->Sweep();
    out_.budget().AddWork(2 * kSweepsOfProof * reduced_.counts().entries);
    out_.RaiseBound(dual_->SafeBound());
  }

  // False if there is no direction.
  bool Step(const Choice& choice, double bound) {
    if (!reduced_.limit) return false;
    const std::vector<int64_t> usage = MemoryProfile(reduced_, choice).usage();
    const int64_t limit = *reduced_.limit;
    const double unit = static_cast<double>(std::max<int64_t>(1, limit));
    std::vector<double> gradient(usage.size(), 0);
    for (size_t t = 0; t < usage.size(); ++t) {
      if (prices_[t] > 0) gradient[t] = static_cast<double>(usage[t] - limit) / unit;
    }
    for (int t : ViolatedPeaks(usage, limit)) {
      gradient[t] = static_cast<double>(usage[t] - limit) / unit;
    }
    double norm = 0;
    for (size_t t = 0; t < usage.size(); ++t) {
      momentum_[t] = 0.6 * momentum_[t] + 0.4 * gradient[t];
      if (prices_[t] <= 0 && momentum_[t] < 0) momentum_[t] = 0;
      norm += momentum_[t] * momentum_[t];
    }
    if (norm <= 0) return false;
    // A poor first choice must not throw the prices off.
    const double near = best_ + 0.5 * std::abs(best_) + 1;
    const double upper = out_.found() ? std::min(near, static_cast<double>(out_.cost())) : near;
    const double length = step_ * std::max(upper - bound, 1.0) / norm;
    for (size_t t = 0; t < usage.size(); ++t) {
      prices_[t] = std::max(0.0, prices_[t] + length * momentum_[t] / unit);
    }
    return true;
  }

  const Problem& problem_;
  const SolveOptions& options_;
  Outcome out_;
  Random random_;
  Reduced reduced_;
  // The optimum without the limit.
  Choice start_;
  std::optional<Dual> dual_;
  std::optional<Improver> improver_;
  std::optional<PricedElimination> exact_;
  std::vector<double> prices_;
  std::vector<double> best_prices_;
  std::vector<double> momentum_;
  double best_ = -1e300;
  double step_ = 1;
  std::optional<Choice> last_fitting_;
  std::optional<Choice> last_exceeding_;
};

Result<SolveResult> Solve(const Problem& problem, const SolveOptions& options) {
  return DynamicProgram(problem, options).Run();
}

}  // namespace

extern const SolverDef kDpSolver;
const SolverDef kDpSolver = {
    "dp",
    "dynamic programming: exact without a binding memory limit, else its price loop and the gap",
    Solve,
};

}  // namespace metadist
