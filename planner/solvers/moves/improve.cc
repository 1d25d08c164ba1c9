// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/moves/improve.h"

#include <algorithm>
#include <cmath>

#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/bounds/penalties.h"
#include "planner/solvers/moves/splice.h"

namespace metadist {

// Two kinds of rounds look for better choices, each with its own way of handling the limit.
//
// The walk over prices keeps a choice that need not fit. The memory prices follow the usage of that
// choice (price_walk.h). At fixed prices the choice is improved by forest and block moves, spliced
// with earlier choices from the other side of the limit (splice.h), repaired, polished and offered
// as an incumbent. Such moves do not leave the basin of the initial choice, so now and then
// messages are swept at the current prices and rounded to a choice of the whole graph, which is
// then combined with the current one (fusion.h). These rounds bring the large improvements, and
// nearly all of them where many small tensors share the memory. The walk over allocations keeps a
// choice that fits and reallocates the memory of a region (allocation.h). It finds choices that
// prices cannot express, where a few large tensors share the memory.
//
// The kind of the next round and of the next move is drawn at random: half of the probability is
// proportional to recent gain per work, half is spread evenly. Rounds are counted, never timed: a
// larger budget begins with the steps of a smaller one.

namespace {

constexpr size_t kRegionNodes = 300;
constexpr double kBlockTable = 1e5;
// Maximum number of moves of a repair, or one per node if that is more.
constexpr int kRepairSteps = 600;
constexpr int kMostSteps = 3;
// Share of the walk rounds that sweep, and number of sweeps the first time.
constexpr double kSweepShare = 0.3;
constexpr int kFirstSweeps = 10;
// Share of the probability that is spread evenly; the rest follows the gains.
constexpr double kEvenShare = 0.5;
// Work between two reports of a better choice, at least.
constexpr int64_t kTellWork = kWorkPerSecond / 20;
constexpr size_t kBlockStep = 0;
constexpr size_t kWalkRound = 0;

}  // namespace

void Improver::Record::Add(double more_gain, double more_work) {
  gain = 0.9 * gain + std::max(0.0, more_gain);
  work = 0.9 * work + more_work;
}

Improver::Improver(const Reduced& reduced, const Dual& tables, uint64_t seed, Budget& budget)
    : budget_(budget), random_(seed) {
  Rebind(reduced, tables);
}

void Improver::Rebind(const Reduced& reduced, const Dual& tables) {
  reduced_ = &reduced;
  tables_ = &tables;
  primal_.emplace(reduced, tables);
  block_.emplace(reduced, tables);
  forest_.emplace(reduced, tables);
  allocation_.emplace(reduced, tables, *block_);
  fusion_.emplace(reduced, *block_);
  entries_ = std::max<int64_t>(1, reduced.counts().entries + reduced.count());
  look_work_ =
      static_cast<int64_t>(4 * (reduced.costs.size() + reduced.edges.size()) + reduced.base.size());
  price_work_ = static_cast<int64_t>(reduced.base.size());
  for (int i = 0; i < reduced.count(); ++i) {
    look_work_ += static_cast<int64_t>(reduced.rows[i].size());
    price_work_ += static_cast<int64_t>((1 + reduced.rows[i].size()) * reduced.costs[i].size());
  }
  incumbent_.reset();
  told_cost_ = kInfinite;
  latest_ = {};
  prices_ = PriceWalk();
  messages_.reset();
  walker_.clear();
  holder_.clear();
}

bool Improver::Take(const Choice& choice) {
  budget_.AddWork(look_work_);
  const int64_t cost = ReducedCost(*reduced_, choice);
  if (IsInfinite(cost) || (incumbent_ && cost >= cost_)) return false;
  if (reduced_->limit && PeakOf(*reduced_, choice) > *reduced_->limit) return false;
  incumbent_ = choice;
  cost_ = cost;
  return true;
}

void Improver::Start() {
  Choice choice = LeastMemoryChoice(*reduced_);
  Finish(choice);
}

bool Improver::Finish(Choice& choice) {
  const int64_t before = primal_->work();
  Choice candidate = choice;
  const bool fits = primal_->Repair(candidate, std::max(kRepairSteps, reduced_->count()));
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
  latest_[fits] = choice;
  if (const std::optional<Choice>& opposite = latest_[!fits]) {
    offer(*opposite, choice);
    offer(choice, *opposite);
  }
  if (found()) offer(*incumbent_, choice);
}

size_t Improver::Draw(std::span<const Record> records) {
  double sum = 0;
  for (const Record& record : records) sum += record.gain / record.work;
  double left = random_.Unit();
  for (size_t k = 0; k + 1 < records.size(); ++k) {
    const double even = 1.0 / static_cast<double>(records.size());
    const double earned = sum > 0 ? records[k].gain / records[k].work / sum : even;
    left -= kEvenShare * even + (1 - kEvenShare) * earned;
    if (left < 0) return k;
  }
  return records.size() - 1;
}

void Improver::Step(Choice& choice, const Jagged<double>& penalties) {
  const size_t kind = Draw(steps_);
  MoveResult result;
  if (kind == kBlockStep) {
    const std::vector<int> region = RandomRegion(primal_->links(), kRegionNodes, random_);
    result = block_->Run(penalties, region, kBlockTable, random_, choice);
  } else {
    result = forest_->Run(penalties, random_, choice);
  }
  steps_[kind].Add(result.gain, static_cast<double>(result.work));
  budget_.AddWork(result.work);
}

double Improver::Gap(const Guide& guide) const {
  const double magnitude = std::abs(found() ? static_cast<double>(cost_) : guide.bound);
  const double gap = found() ? static_cast<double>(cost_) - guide.bound : 0.1 * magnitude;
  return std::max({gap, 1e-3 * magnitude, 1.0});
}

// Restarts the prices from those of the bound if it has risen enough.
void Improver::Follow(const Guide& guide) {
  if (prices_.begun() && guide.bound - followed_bound_ < 0.1 * Gap(guide)) return;
  prices_.Begin(guide.prices);
  followed_bound_ = guide.bound;
}

void Improver::Sweep() {
  const bool fresh = !messages_;
  if (fresh) messages_.emplace(*reduced_, *tables_);
  messages_->SetPrices(prices_.prices());
  const int sweeps = fresh ? kFirstSweeps : 1;
  for (int k = 0; k < sweeps; ++k) messages_->Sweep();
  budget_.AddWork((2 * sweeps + 1) * entries_);
  Choice rounded = messages_->Round();
  Step(rounded, penalties_);
  if (rounded == walker_) return;
  budget_.AddWork(fusion_->Run(penalties_, rounded, kBlockTable, random_, walker_).work);
  Finish(rounded);
}

void Improver::WalkRound(const Guide& guide) {
  if (walker_.empty()) walker_ = found() ? *incumbent_ : guide.start;
  PricePenalties(*reduced_, prices_.prices(), penalties_);
  budget_.AddWork(price_work_);
  const double noise = random_.Unit() < 0.5 ? 0 : 0.3 * random_.Unit();
  for (size_t i = 0; noise > 0 && i < penalties_.size(); ++i) {
    if (random_.Unit() >= 0.3) continue;
    const double factor = 1 + (random_.Unit() - 0.5) * 2 * noise;
    for (double& value : penalties_[i]) value *= factor;
  }
  if (random_.Unit() < kSweepShare) Sweep();
  const int steps = 1 + random_.Below(kMostSteps);
  for (int k = 0; k < steps; ++k) Step(walker_, penalties_);
  const bool fits = prices_.Follow(*reduced_, walker_, Gap(guide), random_);
  const int64_t before = found() ? cost_ : kInfinite;
  Mix(walker_, fits);
  Choice candidate = walker_;
  if (Finish(candidate)) {
    const double magnitude = std::abs(static_cast<double>(cost_));
    const double accepted = static_cast<double>(before) + 0.002 * random_.Unit() * magnitude;
    if (static_cast<double>(ReducedCost(*reduced_, candidate)) < accepted) walker_ = candidate;
  }
}

void Improver::AllocationRound() {
  if (holder_.empty() || random_.Below(60) == 0) {
    holder_ = *incumbent_;
    holder_cost_ = cost_;
  }
  Choice candidate = holder_;
  const std::vector<int> region = RandomRegion(primal_->links(), kRegionNodes, random_);
  const MoveResult result = allocation_->Run(region, kBlockTable, random_, candidate);
  const int64_t before = primal_->work();
  primal_->Polish(candidate, random_);
  budget_.AddWork(result.work + primal_->work() - before);
  Take(candidate);
  const int64_t cost = ReducedCost(*reduced_, candidate);
  const double slack = 0.01 * random_.Unit() * random_.Unit();
  const double magnitude = std::abs(static_cast<double>(holder_cost_));
  if (static_cast<double>(cost) > static_cast<double>(holder_cost_) + slack * magnitude) return;
  holder_ = std::move(candidate);
  holder_cost_ = cost;
}

void Improver::Improve(int rounds, const Guide& guide) {
  if (!reduced_->limit) return;
  Follow(guide);
  for (int round = 0; round < rounds && !budget_.Spent(); ++round) {
    if (Reached(guide.enough)) return;
    const bool had = found();
    const int64_t cost = cost_;
    const int64_t work = budget_.work();
    const size_t kind = had ? Draw(rounds_) : kWalkRound;
    if (kind == kWalkRound) {
      WalkRound(guide);
    } else {
      AllocationRound();
    }
    const double gain = had ? static_cast<double>(cost - cost_) : 0;
    rounds_[kind].Add(gain, static_cast<double>(budget_.work() - work));
    Report();
  }
}

void Improver::Report() {
  if (!hear_ || !found() || cost_ >= told_cost_) return;
  if (budget_.work() - told_work_ < kTellWork) return;
  told_cost_ = cost_;
  told_work_ = budget_.work();
  hear_(*incumbent_);
}

}  // namespace metadist
