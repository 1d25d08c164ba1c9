// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/search.h"

#include <algorithm>
#include <cmath>

#include "planner/solvers/keep.h"
#include "planner/solvers/memory_profile.h"

namespace metadist {

// Bound and incumbent drive each other: good prices make the memory-free problem resemble the real
// one, a good incumbent sets the step length of the prices and decides what can be pruned.
//
// RaiseBound is a subgradient method on the prices with TRW-S as oracle: at every priced time and
// violated peak the direction is (usage - limit) / limit of the rounded choice, with momentum 0.6;
// the step is proportional to the gap. After 15 rounds without gain the step shrinks by 0.7 and the
// best prices return.
// Improve (improve.h) walks over prices from there. Prune deletes a strategy whose min-marginal
// shows that forcing it costs at least the incumbent. After that the bound holds for better choices
// only, so bound() never exceeds the incumbent.
//
// Rounds are counted, never timed: a larger budget begins with the steps of a smaller one.

namespace {

constexpr int kStallRounds = 15;

}  // namespace

PriceSearch::PriceSearch(Reduced reduced, uint64_t seed, Budget& budget)
    : reduced_(std::move(reduced)),
      budget_(budget),
      dual_(std::in_place, reduced_),
      improver_(reduced_, *dual_, seed, budget) {
  best_prices_.assign(reduced_.base.size(), 0);
  prices_ = best_prices_;
  momentum_ = best_prices_;
  SetUp();
}

void PriceSearch::SetUp() {
  entries_ = std::max<int64_t>(1, reduced_.counts().entries + reduced_.count());
  dual_->SetPrices(best_prices_);
}

void PriceSearch::Offer(const Choice& original) {
  Choice choice(reduced_.count(), 0);
  for (int i = 0; i < reduced_.count(); ++i) {
    const int node = reduced_.origin[i];
    const std::vector<int>& strategies = reduced_.graph.strategy_of[node];
    const auto found = std::find(strategies.begin(), strategies.end(), original[node]);
    if (found != strategies.end()) choice[i] = static_cast<int>(found - strategies.begin());
  }
  improver_.Finish(choice);
}

int64_t PriceSearch::bound() const { return found() ? std::min(proven_, cost()) : proven_; }

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
  const double upper = found() ? static_cast<double>(cost()) : best_bound_ + 0.2 * size + 1;
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
      improver_.Step(rounded, dual_->penalties());
      improver_.Finish(rounded);
    }
    if (found() && static_cast<double>(cost()) - best_bound_ < 0.5) break;
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

void PriceSearch::Improve(int rounds) {
  const Choice start = found() ? Choice() : dual_->Round();
  improver_.Improve(rounds, {best_prices_, best_bound_, proven_, start});
}

void PriceSearch::Prune() {
  if (!found() || closed()) return;
  dual_->SetPrices(best_prices_);
  const double bound = dual_->Sweep();
  const std::vector<std::vector<double>> marginals = dual_->MinMarginals();
  budget_.AddWork(3 * entries_);
  // A better choice costs at least one less; the margin covers the rounding of doubles.
  Choice incumbent = improver_.incumbent();
  const double worst = static_cast<double>(cost()) - 1;
  const double margin = 0.01 + 1e-9 * (std::abs(bound) + std::abs(worst));
  std::vector<std::vector<int>> kept(reduced_.count());
  bool any = false;
  for (int i = 0; i < reduced_.count(); ++i) {
    for (int p = 0; p < reduced_.size(i); ++p) {
      if (p == incumbent[i] || bound + marginals[i][p] <= worst + margin) {
        kept[i].push_back(p);
      } else {
        any = true;
      }
    }
  }
  if (!any) return;
  for (int i = 0; i < reduced_.count(); ++i) {
    int& own = incumbent[i];
    own = static_cast<int>(std::lower_bound(kept[i].begin(), kept[i].end(), own) - kept[i].begin());
  }
  reduced_ = KeepStrategies(reduced_, kept);
  dual_.emplace(reduced_);
  improver_.Rebind(reduced_, *dual_, std::move(incumbent));
  SetUp();
  best_bound_ = -1e300;
  ProveBound();
}

}  // namespace metadist
