// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/improve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/solvers/block.h"
#include "planner/solvers/memory_profile.h"
#include "planner/solvers/penalties.h"
#include "planner/solvers/splice.h"

namespace metadist {

// Improve walks over prices: a violated peak raises its price, a feasible choice lowers all. At
// fixed prices a choice is improved by exact minimisation over a region (block.h), spliced with
// earlier choices from the other side of the limit (splice.h), repaired, polished and offered.
//
// Rounds are counted, never timed: a larger budget begins with the steps of a smaller one.

Improver::Improver(const Reduced& reduced, const Dual& tables, uint64_t seed, Budget& budget)
    : reduced_(&reduced), tables_(&tables), budget_(budget), random_(seed) {
  Rebind(reduced, tables, std::nullopt);
}

void Improver::Rebind(const Reduced& reduced, const Dual& tables, std::optional<Choice> incumbent) {
  reduced_ = &reduced;
  tables_ = &tables;
  primal_.emplace(reduced);
  entries_ = std::max<int64_t>(1, reduced.counts().entries + reduced.count());
  incumbent_ = std::move(incumbent);
  last_fitting_.reset();
  last_exceeding_.reset();
}

bool Improver::Take(const Choice& choice) {
  const int64_t cost = ReducedCost(*reduced_, choice);
  if (IsInfinite(cost) || (incumbent_ && cost >= cost_)) return false;
  if (!MemoryProfile(*reduced_, choice).fits()) return false;
  incumbent_ = choice;
  cost_ = cost;
  return true;
}

void Improver::Start() {
  Choice choice = primal_->LeastMemory();
  Finish(choice);
}

bool Improver::Finish(Choice& choice) {
  const int64_t before = primal_->work();
  Choice candidate = choice;
  const bool fits = primal_->Repair(candidate, 600);
  if (fits) {
    primal_->Polish(candidate, random_);
    Take(candidate);
    choice = std::move(candidate);
  }
  budget_.AddWork(primal_->work() - before);
  return fits && !IsInfinite(ReducedCost(*reduced_, choice));
}

void Improver::Mix(const Choice& choice, bool fits) {
  if (IsInfinite(ReducedCost(*reduced_, choice))) return;
  auto offer = [&](const Choice& from, const Choice& to) {
    std::optional<Choice> mixed = Splice(*reduced_, primal_->links(), from, to, random_);
    budget_.AddWork(entries_ / 4);
    if (!mixed) return;
    const int64_t before = primal_->work();
    primal_->Polish(*mixed, random_);
    budget_.AddWork(primal_->work() - before);
    Take(*mixed);
  };
  std::optional<Choice>& same = fits ? last_fitting_ : last_exceeding_;
  const std::optional<Choice>& opposite = fits ? last_exceeding_ : last_fitting_;
  same = choice;
  if (opposite) {
    offer(*opposite, choice);
    offer(choice, *opposite);
  }
  if (found()) offer(*incumbent_, choice);
}

void Improver::Step(Choice& choice, const std::vector<std::vector<double>>& penalties) {
  const std::vector<int> region = RandomRegion(primal_->links(), random_);
  const int64_t touched = BlockMove(*reduced_, *tables_, penalties, region, random_, choice);
  budget_.AddWork(touched + entries_ / 4);
}

void Improver::Improve(int rounds, const Guide& guide) {
  if (!reduced_->limit) return;
  std::vector<double> prices = guide.prices;
  Choice choice = found() ? *incumbent_ : guide.start;
  const int64_t limit = *reduced_->limit;
  const double denominator = static_cast<double>(std::max<int64_t>(1, limit));
  const double magnitude = std::abs(found() ? static_cast<double>(cost_) : guide.bound);
  const double gap = found() ? static_cast<double>(cost_) - guide.bound : 0.1 * magnitude;
  const double scale = std::max({gap, 1e-3 * magnitude, 1.0});
  const double total = std::accumulate(guide.prices.begin(), guide.prices.end(), 0.0);
  int idle = 0;
  for (int round = 0; round < rounds && !budget_.Spent() && !(found() && guide.proven >= cost_);
       ++round) {
    PricePenalties(*reduced_, prices, penalties_);
    const double noise = random_.Unit() < 0.5 ? 0 : 0.3 * random_.Unit();
    for (std::vector<double>& penalty : penalties_) {
      const bool shaken = noise > 0 && random_.Unit() < 0.3;
      const double factor = shaken ? 1 + (random_.Unit() - 0.5) * 2 * noise : 1;
      for (double& value : penalty) value *= factor;
    }
    const int steps = 1 + random_.Below(3);
    for (int k = 0; k < steps; ++k) Step(choice, penalties_);
    const std::vector<int64_t> usage = MemoryProfile(*reduced_, choice).usage();
    const std::vector<int> peaks = ViolatedPeaks(usage, limit);
    if (peaks.empty()) {
      const double shrink = 0.9 + 0.1 * random_.Unit();
      for (double& price : prices) price *= shrink;
    } else {
      double norm = 0;
      for (int t : peaks) norm += std::pow(static_cast<double>(usage[t] - limit) / denominator, 2);
      const double length = (0.05 + 0.3 * random_.Unit()) * scale / norm;
      // A slight excess must not throw the prices off: the proven ones are about right.
      const double most_raise = total > 0 ? 0.2 * random_.Unit() * total : length;
      for (int t : peaks) {
        const double excess = static_cast<double>(usage[t] - limit) / denominator;
        prices[t] += std::min(length * excess / denominator, most_raise);
      }
    }
    const int64_t before = found() ? cost_ : kInfinite;
    Mix(choice, peaks.empty());
    Choice candidate = choice;
    const bool feasible = Finish(candidate);
    idle = found() && cost_ < before ? 0 : idle + 1;
    if (feasible) {
      const double accepted = static_cast<double>(before) + 0.002 * random_.Unit() * magnitude;
      if (static_cast<double>(ReducedCost(*reduced_, candidate)) < accepted) choice = candidate;
    }
    if (idle > 60 + random_.Below(60)) {
      idle = 0;
      if (found() && random_.Unit() < 0.6) choice = *incumbent_;
      const double factor = std::exp((random_.Unit() - 0.5) * 0.8);
      prices = guide.prices;
      for (double& price : prices) price *= factor;
    }
  }
}

}  // namespace metadist
