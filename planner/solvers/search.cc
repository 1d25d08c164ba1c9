// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/solvers/elimination.h"
#include "planner/solvers/keep.h"
#include "planner/solvers/memory_profile.h"
#include "planner/solvers/splice.h"

namespace metadist {

// Bound and incumbent drive each other: good prices make the memory-free problem resemble the real
// one, a good incumbent sets the step length of the prices and decides what can be pruned.
//
// RaiseBound is a subgradient method on the prices with TRW-S as oracle: at every priced time and
// violated peak the direction is (usage - limit) / limit of the rounded choice, with momentum 0.6;
// the step is proportional to the gap. After 15 rounds without gain the step shrinks by 0.7 and the
// best prices return.
// Improve walks over prices: a violated peak raises its price, a feasible choice lowers all. At
// fixed prices a choice is improved by exact minimisation over a region (bucket elimination with
// conditioning), spliced with earlier choices from the other side of the limit (splice.h),
// repaired, polished and offered. Prune deletes a strategy whose min-marginal shows that forcing it
// costs at least the incumbent. After that the bound holds for better choices only, so bound()
// never exceeds the incumbent.
//
// Rounds are counted, never timed: a larger budget begins with the steps of a smaller one.

namespace {

constexpr double kBlockTable = 1e5;
constexpr size_t kRegion = 300;
constexpr int kStallRounds = 15;

}  // namespace

PriceSearch::PriceSearch(Reduced reduced, uint64_t seed, Budget& budget)
    : reduced_(std::move(reduced)), budget_(budget), random_(seed) {
  best_prices_.assign(reduced_.base.size(), 0);
  prices_ = best_prices_;
  momentum_ = best_prices_;
  noise_.assign(reduced_.count(), 1);
  Rebuild();
}

void PriceSearch::Rebuild() {
  dual_.emplace(reduced_);
  primal_.emplace(reduced_);
  entries_ = std::max<int64_t>(1, reduced_.counts().entries + reduced_.count());
  dual_->SetPrices(best_prices_);
}

bool PriceSearch::Take(const Choice& choice) {
  const int64_t cost = ReducedCost(reduced_, choice);
  if (IsInfinite(cost) || (incumbent_ && cost >= cost_)) return false;
  if (!MemoryProfile(reduced_, choice).fits()) return false;
  incumbent_ = choice;
  cost_ = cost;
  return true;
}

void PriceSearch::Offer(const Choice& original) {
  Choice choice(reduced_.count(), 0);
  for (int i = 0; i < reduced_.count(); ++i) {
    const int node = reduced_.origin[i];
    const std::vector<int>& strategies = reduced_.graph.strategy_of[node];
    const auto found = std::find(strategies.begin(), strategies.end(), original[node]);
    if (found != strategies.end()) choice[i] = static_cast<int>(found - strategies.begin());
  }
  Finish(choice);
}

void PriceSearch::Start() {
  Choice choice = primal_->LeastMemory();
  Finish(choice);
}

bool PriceSearch::Finish(Choice& choice) {
  const int64_t before = primal_->work();
  Choice candidate = choice;
  const bool fits = primal_->Repair(candidate, 600);
  if (fits) {
    primal_->Polish(candidate, random_);
    Take(candidate);
    choice = std::move(candidate);
  }
  budget_.AddWork(primal_->work() - before);
  return fits && !IsInfinite(ReducedCost(reduced_, choice));
}

int64_t PriceSearch::bound() const { return found() ? std::min(proven_, cost_) : proven_; }

void PriceSearch::MovePrices(const Choice& choice, double bound) {
  if (!reduced_.limit) return;
  const std::vector<int64_t> usage = MemoryProfile(reduced_, choice).usage();
  const int64_t limit = *reduced_.limit;
  const double scale = static_cast<double>(std::max<int64_t>(1, limit));
  std::vector<double> gradient(usage.size(), 0);
  for (size_t t = 0; t < usage.size(); ++t) {
    if (prices_[t] > 0) gradient[t] = static_cast<double>(usage[t] - limit) / scale;
  }
  for (int t : ViolatedPeaks(usage, limit)) {
    gradient[t] = static_cast<double>(usage[t] - limit) / scale;
  }
  double norm = 0;
  for (size_t t = 0; t < usage.size(); ++t) {
    momentum_[t] = 0.6 * momentum_[t] + 0.4 * gradient[t];
    if (prices_[t] <= 0 && momentum_[t] < 0) momentum_[t] = 0;
    norm += momentum_[t] * momentum_[t];
  }
  if (norm <= 0) return;
  const double size = std::abs(best_bound_);
  const double upper = found() ? static_cast<double>(cost_) : best_bound_ + 0.2 * size + 1;
  const double gap = std::min(upper, best_bound_ + 0.5 * size + 1) - bound;
  const double length = step_ * std::max(gap, 1e-4 * std::abs(bound) + 1) / norm;
  for (size_t t = 0; t < usage.size(); ++t) {
    prices_[t] = std::max(0.0, prices_[t] + length * momentum_[t] / scale);
  }
}

void PriceSearch::RaiseBound(int rounds) {
  prices_ = best_prices_;
  int small_gains = 0;
  for (int round = 0; round < rounds && !budget_.Spent() && !closed(); ++round) {
    dual_->SetPrices(prices_);
    const double bound = dual_->Sweep();
    budget_.AddWork(2 * entries_);
    const double gain = bound - best_bound_;
    small_gains = gain < 1e-5 * std::abs(best_bound_) ? small_gains + 1 : 0;
    if (gain > 1e-7 * std::abs(best_bound_)) {
      best_bound_ = bound;
      best_prices_ = prices_;
      stalled_ = 0;
    } else if (++stalled_ > kStallRounds) {
      step_ *= 0.7;
      if (step_ < 1e-4) step_ = 0.05;
      stalled_ = 0;
      prices_ = best_prices_;
      dual_->SetPrices(prices_);
    }
    if (small_gains > (reduced_.limit ? 60 : 10) && (!reduced_.limit || step_ < 0.05)) break;
    Choice rounded = dual_->Round();
    MovePrices(rounded, bound);
    if (round % 10 == 4) {
      Step(rounded);
      Finish(rounded);
    }
    if (found() && static_cast<double>(cost_) - best_bound_ < 0.5) break;
  }
  ProveBound();
}

void PriceSearch::ProveBound() {
  dual_->SetPrices(best_prices_);
  double last = -1e300;
  for (int k = 0; k < 40 && !budget_.Spent(); ++k) {
    const double bound = dual_->Sweep();
    budget_.AddWork(2 * entries_);
    best_bound_ = std::max(best_bound_, bound);
    if (bound - last < 1e-9 * std::abs(bound)) break;
    last = bound;
  }
  proven_ = std::max(proven_, dual_->SafeBound());
}

void PriceSearch::Prune() {
  if (!found() || closed()) return;
  dual_->SetPrices(best_prices_);
  const double bound = dual_->Sweep();
  const std::vector<std::vector<double>> marginals = dual_->MinMarginals();
  budget_.AddWork(3 * entries_);
  // A better choice costs at least one less; the margin covers the rounding of doubles.
  const double worst = static_cast<double>(cost_) - 1;
  const double margin = 0.01 + 1e-9 * (std::abs(bound) + std::abs(worst));
  std::vector<std::vector<int>> kept(reduced_.count());
  bool any = false;
  for (int i = 0; i < reduced_.count(); ++i) {
    for (int p = 0; p < reduced_.size(i); ++p) {
      if (p == (*incumbent_)[i] || bound + marginals[i][p] <= worst + margin) {
        kept[i].push_back(p);
      } else {
        any = true;
      }
    }
  }
  if (!any) return;
  for (int i = 0; i < reduced_.count(); ++i) {
    int& own = (*incumbent_)[i];
    own = static_cast<int>(std::lower_bound(kept[i].begin(), kept[i].end(), own) - kept[i].begin());
  }
  reduced_ = KeepStrategies(reduced_, kept);
  last_fitting_.reset();
  last_exceeding_.reset();
  Rebuild();
  best_bound_ = -1e300;
  ProveBound();
}

std::vector<int> PriceSearch::Region() {
  const size_t count = reduced_.count();
  std::vector<int> region;
  if (count <= kRegion) {
    region.resize(count);
    std::iota(region.begin(), region.end(), 0);
    return region;
  }
  std::vector<char> seen(count, 0);
  std::vector<int> next;
  while (region.size() < kRegion) {
    // A new start when a component is exhausted.
    int start = random_.Below(static_cast<int64_t>(count));
    while (seen[start]) start = static_cast<int>((start + 1) % count);
    seen[start] = 1;
    size_t head = region.size();
    region.push_back(start);
    for (; head < region.size() && region.size() < kRegion; ++head) {
      next.clear();
      for (const Link& link : primal_->links()[region[head]]) {
        if (seen[link.other]) continue;
        seen[link.other] = 1;
        next.push_back(link.other);
      }
      random_.Shuffle(next);
      region.insert(region.end(), next.begin(), next.end());
    }
  }
  return region;
}

void PriceSearch::Block(Choice& choice, const std::vector<int>& region) {
  std::vector<int> local(reduced_.count(), -1);
  for (size_t k = 0; k < region.size(); ++k) local[region[k]] = static_cast<int>(k);
  EliminationTask<double> task;
  std::vector<int> sizes;
  std::vector<std::pair<int, int>> edges;
  Choice current;
  for (size_t k = 0; k < region.size(); ++k) {
    const int i = region[k];
    sizes.push_back(reduced_.size(i));
    current.push_back(choice[i]);
    std::vector<double> unary(reduced_.size(i));
    for (size_t p = 0; p < unary.size(); ++p) {
      unary[p] = static_cast<double>(reduced_.costs[i][p]) + noise_[i] * dual_->penalties()[i][p];
    }
    for (const Link& link : primal_->links()[i]) {
      const int other = local[link.other];
      if (other >= 0) {
        if (!link.first) continue;
        edges.emplace_back(static_cast<int>(k), other);
        task.edges.push_back({static_cast<int>(k), other, dual_->by_a(link.edge)});
        continue;
      }
      const std::vector<double>& costs =
          link.first ? dual_->by_b(link.edge) : dual_->by_a(link.edge);
      const double* add = &costs[choice[link.other] * unary.size()];
      for (size_t p = 0; p < unary.size(); ++p) unary[p] += add[p];
    }
    task.unary.push_back(std::move(unary));
  }
  const EliminationPlan plan = PlanConditioned(sizes, edges, kBlockTable, random_);
  RunElimination(std::move(task), plan, current);
  for (size_t k = 0; k < region.size(); ++k) choice[region[k]] = current[k];
  budget_.AddWork(static_cast<int64_t>(plan.total) + entries_ / 4);
}

void PriceSearch::Step(Choice& choice) { Block(choice, Region()); }

void PriceSearch::Mix(const Choice& choice, bool fits) {
  if (IsInfinite(ReducedCost(reduced_, choice))) return;
  auto offer = [&](const Choice& from, const Choice& to) {
    std::optional<Choice> mixed = Splice(reduced_, primal_->links(), from, to, random_);
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

void PriceSearch::Improve(int rounds) {
  if (!reduced_.limit) return;
  std::vector<double> prices = best_prices_;
  Choice choice = found() ? *incumbent_ : dual_->Round();
  const int64_t limit = *reduced_.limit;
  const double denominator = static_cast<double>(std::max<int64_t>(1, limit));
  const double magnitude = std::abs(found() ? static_cast<double>(cost_) : best_bound_);
  const double gap = found() ? static_cast<double>(cost_) - best_bound_ : 0.1 * magnitude;
  const double scale = std::max({gap, 1e-3 * magnitude, 1.0});
  const double total = std::accumulate(best_prices_.begin(), best_prices_.end(), 0.0);
  int idle = 0;
  for (int round = 0; round < rounds && !budget_.Spent() && !closed(); ++round) {
    dual_->SetPrices(prices);
    const double noise = random_.Unit() < 0.5 ? 0 : 0.3 * random_.Unit();
    for (double& factor : noise_) {
      const bool shaken = noise > 0 && random_.Unit() < 0.3;
      factor = shaken ? 1 + (random_.Unit() - 0.5) * 2 * noise : 1;
    }
    const int steps = 1 + random_.Below(3);
    for (int k = 0; k < steps; ++k) Step(choice);
    const std::vector<int64_t> usage = MemoryProfile(reduced_, choice).usage();
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
      if (static_cast<double>(ReducedCost(reduced_, candidate)) < accepted) choice = candidate;
    }
    if (idle > 60 + random_.Below(60)) {
      idle = 0;
      if (found() && random_.Unit() < 0.6) choice = *incumbent_;
      const double factor = std::exp((random_.Unit() - 0.5) * 0.8);
      prices = best_prices_;
      for (double& price : prices) price *= factor;
    }
  }
  std::fill(noise_.begin(), noise_.end(), 1);
  dual_->SetPrices(best_prices_);
}

}  // namespace metadist
