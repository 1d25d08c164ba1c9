// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/search.h"

#include <algorithm>
#include <future>
#include <limits>
#include <system_error>
#include <utility>

#include "planner/solvers/bounds/penalties.h"
#include "planner/solvers/bounds/prune.h"

namespace metadist {

// Bound and incumbent help each other: good prices make the problem without memory similar to the
// real one; a good incumbent determines the step length of the prices and what can be pruned. The
// two sides share no state while they work: at a barrier the incumbent side receives the prices,
// the bound and the roundings of the bound side, and the bound side the cost of the incumbent. So
// an epoch is a function of the state before it and of two amounts of work; running its halves on
// two threads or in turn, on a loaded machine or an idle one, changes only the time. The incumbent
// side stays on the caller's thread, where it may report its choices.

namespace {

constexpr int kAnyRounds = std::numeric_limits<int>::max();

}  // namespace

Search::Search(Reduced reduced, uint64_t seed, Budget& budget)
    : budget_(budget),
      bound_budget_(budget.Part()),
      primal_budget_(budget.Part()),
      remainder_(std::make_unique<const ReducedAgain>(ReducedAgain{std::move(reduced), {}})),
      ascent_(std::make_unique<PriceAscent>(this->reduced(), bound_budget_)),
      improver_(
          std::make_unique<Improver>(this->reduced(), ascent_->dual(), seed, primal_budget_)) {
  CountEntries();
}

void Search::CountEntries() {
  entries_ = reduced().counts().entries + static_cast<int64_t>(reduced().costs.values().size());
}

void Search::OnImprovement(const std::function<void(const Choice&)>& hear) {
  improver_->OnImprovement([this, hear](const Choice& choice) { hear(reduced().Expand(choice)); });
}

void Search::Start() {
  const int64_t before = primal_budget_.work();
  primal_budget_.Allow(budget_.work_left());
  improver_->Start();
  budget_.AddWork(primal_budget_.work() - before);
}

void Search::Offer(const Choice& original) {
  const int64_t before = primal_budget_.work();
  primal_budget_.Allow(budget_.work_left());
  Choice choice = Nearest(reduced(), original);
  if (!improver_->Take(choice)) improver_->Finish(choice);
  budget_.AddWork(primal_budget_.work() - before);
}

void Search::FinishChoices(const std::vector<Choice>& choices,
                           const std::vector<double>& prices,
                           double enough) {
  Jagged<double> penalties;
  PricePenalties(reduced(), prices, penalties);
  for (Choice choice : choices) {
    if (primal_budget_.Spent() || improver_->Reached(enough)) return;
    improver_->Step(choice, penalties);
    improver_->Finish(choice);
  }
}

void Search::FinishRounded() {
  const int64_t before = primal_budget_.work();
  primal_budget_.Allow(budget_.work_left());
  FinishChoices(ascent_->rounded(), ascent_->prices(), -static_cast<double>(kInfinite));
  budget_.AddWork(primal_budget_.work() - before);
}

void Search::Epoch(const Share& share, const Goal& goal, int threads) {
  const int64_t before = bound_budget_.work() + primal_budget_.work();
  bound_budget_.Allow(share.bound_work);
  primal_budget_.Allow(share.primal_work);
  const std::vector<Choice> starts = ascent_->rounded();
  const Guide guide{ascent_->prices(),
                    ascent_->bound(),
                    std::max(static_cast<double>(ascent_->proven()), goal.cost),
                    starts.empty() ? Choice(reduced().count(), 0) : starts.back()};
  auto climb = [&] {
    if (share.bound_work > 0) ascent_->Climb(kAnyRounds, goal.upper, goal.bound);
  };
  // Without prices and a bound the incumbent side has no direction.
  const bool guided = share.primal_work > 0 && guide.bound > -1e299;
  auto improve = [&] {
    if (!guided) return;
    FinishChoices(starts, guide.prices, guide.enough);
    improver_->Improve(kAnyRounds, guide);
  };
  // Declared after what the threads refer to: its destructor waits, also if this side throws.
  std::future<void> other;
  try {
    if (threads > 1 && share.bound_work > 0 && guided)
      other = std::async(std::launch::async, climb);
  } catch (const std::system_error&) {  // no thread available: one after the other
  }
  improve();
  other.valid() ? other.get() : climb();
  budget_.AddWork(bound_budget_.work() + primal_budget_.work() - before);
}

std::optional<ReducedAgain> Search::Below(int64_t most) {
  budget_.AddWork(5 * entries_);
  return metadist::Prune(reduced(), ascent_->dual(), most);
}

bool Search::Prune(int64_t most) {
  std::optional<ReducedAgain> left = Below(most);
  if (!left) return false;
  std::optional<Choice> known;
  if (improver_->found()) known = Original();
  auto remainder = std::make_unique<const ReducedAgain>(*std::move(left));
  auto ascent = std::make_unique<PriceAscent>(remainder->reduced, bound_budget_);
  if (!remainder->reduced.infeasible) ascent->Inherit(reduced(), *ascent_, *remainder);
  improver_->Rebind(remainder->reduced, ascent->dual());
  ascent_ = std::move(ascent);
  remainder_ = std::move(remainder);
  times_ = MoveTimes(times_, *remainder_);
  CountEntries();
  if (known && !reduced().infeasible) Offer(*known);
  return true;
}

}  // namespace metadist
