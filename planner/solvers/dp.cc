// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "planner/solvers/bounds/elimination.h"
#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/bounds/price_step.h"
#include "planner/solvers/bounds/priced_elimination.h"
#include "planner/solvers/bounds/prices.h"
#include "planner/solvers/moves/improve.h"
#include "planner/solvers/moves/splice.h"
#include "planner/solvers/outcome.h"
#include "planner/solvers/solver.h"

namespace metadist {

// Dynamic programming: exact reduction, then bucket elimination (elimination.h). Models are chains
// with skip connections, so tables stay small and time is linear in depth. Without a limit, or if
// the optimum happens to satisfy it, the result is proven optimal.
//
// Under a limit, the state would have to contain the memory of every live tensor, so the limit is
// priced instead, by a subgradient method. Message passing finds good prices quickly (prices.h);
// then elimination is the exact oracle: its minimiser gives a true subgradient (usage - limit at
// every time) and its value a bound in integers, the best that these prices can give
// (priced_elimination.h). Choices come from the minimisers, repaired, polished and spliced with one
// another, and from local search by elimination on regions (improve.h). A duality gap may remain
// between bound and cost that prices cannot close; the status reports it. Step of the exact oracle:
// eta x (best cost - bound) / |g|^2. After 15 rounds without a gain eta shrinks by 0.7 and the best
// prices are restored; a better choice raises eta again.
//
// If even the reduced graph is too wide for exact tables, the oracle is omitted: elimination is
// then used only on regions, with nodes of high degree fixed at their strategies (conditioning),
// and the bound is that of message passing.

namespace {

constexpr int kMessageRounds = 300;
constexpr int kMostExactRounds = 200;
constexpr int kLeastExactRounds = 20;
// Local search at the best prices every kImproveEvery rounds.
constexpr int kImproveEvery = 50;
constexpr int kImproveRounds = 40;
// Minimisers are repaired and spliced every kOfferEvery rounds.
constexpr int kOfferEvery = 4;
constexpr int kDpStallRounds = 15;
constexpr double kForget = 0.4;
constexpr double kFirstStep = 0.3;
constexpr double kSmallestStep = 1e-3;
// Larger tables mean fewer rounds.
constexpr double kTableEntries = 2e9;

class DynamicProgram {
 public:
  DynamicProgram(const Problem& problem, const SolveOptions& options)
      : problem_(problem), options_(options), out_(problem, options), random_(options.seed) {}

  Result<SolveResult> Run() {
    reduced_ = out_.Reduce(ReduceMode::kFull);
    if (reduced_.infeasible) return out_.Finish();
    WithoutMemory();
    out_.EndPhase("eliminate");
    if (out_.Done()) return out_.Finish();
    ascent_.emplace(reduced_, out_.budget());
    improver_.emplace(reduced_, ascent_->dual(), options_.seed, out_.budget());
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

  // Takes the improver's incumbent if it is better, and then lengthens the price steps again.
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

  // Finds out whether anything fits at all, and takes a choice that does.
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
    if (latest_[fits] == choice) return;
    latest_[fits] = choice;
    Choice candidate = choice;
    improver_->Finish(candidate);
    auto splice = [&](const Choice& from, const Choice& to) {
      std::optional<Choice> mixed = Splice(reduced_, ascent_->dual().links(), from, to, random_);
      out_.budget().AddWork(reduced_.count());
      if (mixed) improver_->Finish(*mixed);
    };
    if (const std::optional<Choice>& opposite = latest_[!fits]) {
      splice(*opposite, choice);
      splice(choice, *opposite);
    }
    if (improver_->found()) splice(improver_->incumbent(), choice);
    TakeIncumbent();
  }

  void MovePrices() {
    for (int rounds = 0; rounds < kMessageRounds; rounds += kImproveEvery) {
      ascent_->Climb(kImproveEvery, out_.found() ? out_.cost() : kInfinite);
      // However small the budget: without a bound there would be no gap to report.
      out_.RaiseBound(ascent_->proven());
      if (out_.Done()) return;
      for (const Choice& choice : ascent_->rounded()) Offer(choice);
      Improve(ascent_->prices(), ascent_->bound());
      if (out_.Done()) return;
      if (ascent_->converged()) break;
    }
    std::optional<EliminationPlan> plan = BestElimination(reduced_);
    if (!plan) return;
    const double affordable = kTableEntries / std::max(1.0, plan->total);
    const int rounds = static_cast<int>(std::clamp(
        affordable, static_cast<double>(kLeastExactRounds), static_cast<double>(kMostExactRounds)));
    ClimbExactly(rounds, PricedElimination(reduced_, std::move(*plan)));
  }

  void ClimbExactly(int rounds, PricedElimination exact) {
    PriceStep mover(reduced_);
    std::vector<double> prices = ascent_->prices();
    std::vector<double> best_prices = prices;
    double best = -1e300;
    int stalled = 0;
    step_ = kFirstStep;
    for (int round = 1; round <= rounds && step_ > kSmallestStep; ++round) {
      const PricedElimination::Answer answer = exact.Minimize(prices);
      out_.budget().AddWork(exact.work());
      if (IsInfinite(answer.bound)) return out_.SetInfeasible();
      out_.RaiseBound(answer.bound);
      if (out_.Done()) return;
      const double bound = static_cast<double>(answer.bound);
      if (bound > best + 1e-7 * std::abs(best)) {
        best = bound;
        best_prices = prices;
        stalled = 0;
      } else if (++stalled > kDpStallRounds) {
        step_ *= 0.7;
        stalled = 0;
        prices = best_prices;
        mover.Forget();
      }
      if (round % kOfferEvery == 0) Offer(answer.choice);
      if (round % kImproveEvery == 0) Improve(best_prices, best);
      if (out_.Done() || !reduced_.limit) return;
      // A poor first choice must not distort the prices.
      const double near = best + 0.5 * std::abs(best) + 1;
      const double upper = out_.found() ? std::min(near, static_cast<double>(out_.cost())) : near;
      const double reach = step_ * std::max(upper - bound, 1.0);
      if (!mover.Move(UsageOf(reduced_, answer.choice), kForget, reach, prices)) return;
    }
  }

  void Improve(const std::vector<double>& prices, double bound) {
    const auto enough = static_cast<double>(out_.bound());
    improver_->Improve(kImproveRounds, {prices, bound, enough, ascent_->dual().Round()});
    TakeIncumbent();
  }

  const Problem& problem_;
  const SolveOptions& options_;
  Outcome out_;
  Random random_;
  Reduced reduced_;
  // The optimum without the limit.
  Choice start_;
  std::optional<PriceAscent> ascent_;
  std::optional<Improver> improver_;
  // Step length for the exact oracle's prices.
  double step_ = kFirstStep;
  // The latest choices offered: one that exceeds the limit, one that fits.
  std::array<std::optional<Choice>, 2> latest_;
};

}  // namespace

const SolverDef kDpSolver = {
    "dp",
    "dynamic programming: exact without a binding memory limit, else its price loop and the gap",
    SolveWith<DynamicProgram>,
};

}  // namespace metadist
