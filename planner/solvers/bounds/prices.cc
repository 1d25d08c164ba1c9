// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/prices.h"

#include <algorithm>
#include <cmath>

#include "planner/solvers/bounds/chains.h"

namespace metadist {

// Problem: prices >= 0 per time that maximise the bound of the priced problem (dual.h). The bound
// is concave and piecewise linear in the prices, and one evaluation is a sweep over all edge
// entries; the best prices are the dual values of the LP's memory rows. A bundle method needs a
// quadratic program per step, and coordinate steps stall at kinks. The subgradient method needs a
// direction (price_step.h), which comes from the relaxed choice that attains the bound (chains.h).
// One sweep per step: messages and prices converge together.
//
// Step: eta * (cost of the best choice - bound) / |direction|^2 (Polyak). After 10 rounds without a
// gain, eta shrinks by 0.7 and the best prices are restored with their messages. The messages then
// get some rounds at fixed prices, because they lag behind, and these are the cheapest gains. At
// first, when prices are far from their optimum, the direction is averaged little; each time eta
// shrinks, it is averaged over more rounds. The gap scales the steps, so a better choice increases
// eta in proportion. The ascent has converged when gains have been small for long and eta has
// reached its minimum.
//
// Rounds are counted, never timed.

namespace {

constexpr int kStallRounds = 10;
constexpr int kSettleRounds = 10;
constexpr double kStepDecay = 0.7;
constexpr double kGrow = 1.05;
constexpr double kForgetDecay = 0.9;
constexpr double kLeastForget = 0.05;
constexpr double kLeastStep = 1e-5;
constexpr double kLargestStep = 0.5;
constexpr double kSmallGain = 2e-6;
constexpr int kSmallRounds = 60;
constexpr size_t kKeptRoundings = 3;
constexpr int kRoundingEvery = 10;

}  // namespace

std::vector<double> MoveToKept(const std::vector<double>& values, const ReducedAgain& left) {
  std::vector<double> out(left.reduced.base.size(), 0);
  for (size_t t = 0; t < values.size() && t < left.time_now.size(); ++t) {
    if (left.time_now[t] >= 0) out[left.time_now[t]] += values[t];
  }
  return out;
}

std::set<int> MoveTimes(const std::set<int>& times, const ReducedAgain& left) {
  std::set<int> out;
  for (int t : times) {
    const size_t at = static_cast<size_t>(t);
    if (at < left.time_now.size() && left.time_now[at] >= 0) out.insert(left.time_now[at]);
  }
  return out;
}

PriceAscent::PriceAscent(const Reduced& reduced, Budget& budget)
    : reduced_(reduced), budget_(budget), dual_(reduced), mover_(reduced) {
  entries_ = reduced.counts().entries + reduced.count();
  for (int i = 0; i < reduced.count(); ++i) {
    entries_ += static_cast<int64_t>(reduced.rows[i].size()) * reduced.size(i);
  }
  entries_ += static_cast<int64_t>(reduced.base.size());
  best_prices_.assign(reduced.base.size(), 0);
  prices_ = best_prices_;
}

void PriceAscent::Inherit(const Reduced& before,
                          const PriceAscent& ascent,
                          const ReducedAgain& left) {
  best_prices_ = MoveToKept(ascent.best_prices_, left);
  prices_ = MoveToKept(ascent.prices_, left);
  mover_.SetDirection(MoveToKept(ascent.mover_.direction(), left));
  dual_.Inherit(before, ascent.dual_, ascent.messages_);
  messages_ = dual_.messages();
  dual_.Inherit(before, ascent.dual_, ascent.best_messages_);
  best_messages_ = dual_.messages();
  best_bound_ = ascent.best_bound_;
  proven_bound_ = ascent.proven_bound_;
  step_ = ascent.step_;
  forget_ = ascent.forget_;
  settling_ = ascent.settling_;
  upper_ = ascent.upper_;
  rounds_ = ascent.rounds_;
  stalled_ = ascent.stalled_;
}

void PriceAscent::Judge(double bound) {
  const double gain = bound - best_bound_;
  const double size = std::abs(best_bound_);
  small_gains_ = gain < kSmallGain * size ? small_gains_ + 1 : 0;
  if (gain > 1e-7 * size) {
    best_bound_ = bound;
    best_prices_ = prices_;
    best_messages_ = dual_.messages();
    stalled_ = 0;
    if (settling_ == 0) step_ = std::min(kLargestStep, step_ * kGrow);
  } else if (settling_ == 0 && ++stalled_ > kStallRounds) {
    step_ = std::max(kLeastStep, step_ * kStepDecay);
    forget_ = std::max(kLeastForget, forget_ * kForgetDecay);
    stalled_ = 0;
    settling_ = kSettleRounds + 1;
    prices_ = best_prices_;
    dual_.SetMessages(best_messages_);
  }
}

void PriceAscent::Climb(int rounds, int64_t upper, double enough) {
  rounded_.clear();
  if (upper < upper_) {
    if (upper_ < kInfinite) {
      const double gap = std::max(1.0, static_cast<double>(upper) - best_bound_);
      step_ = std::min(kLargestStep, step_ * (static_cast<double>(upper_) - best_bound_) / gap);
    }
    upper_ = upper;
    converged_ = false;
    small_gains_ = 0;
  }
  if (!messages_.empty()) dual_.SetMessages(messages_);
  const int patience = reduced_.limit ? kSmallRounds : 10;
  for (int round = 0; round < rounds && !converged_ && !budget_.Spent(); ++round) {
    dual_.SetPrices(prices_);
    const double bound = dual_.Sweep();
    budget_.AddWork(entries_);
    Judge(bound);
    if (small_gains_ > patience && (!reduced_.limit || step_ < 2 * kLeastStep)) converged_ = true;
    if (settling_ > 0) --settling_;
    if (reduced_.limit && settling_ == 0) MovePrices(bound, upper);
    if (++rounds_ % kRoundingEvery == 5) Keep(dual_.Round());
    if (best_bound_ >= enough || static_cast<double>(upper) - best_bound_ < 0.5) break;
  }
  messages_ = dual_.messages();
  Prove(enough);
}

void PriceAscent::Keep(Choice choice) {
  if (rounded_.size() == kKeptRoundings) rounded_.erase(rounded_.begin());
  rounded_.push_back(std::move(choice));
}

void PriceAscent::MovePrices(double bound, int64_t upper) {
  const std::vector<int64_t> usage = ChainUsage(reduced_, dual_);
  const double size = std::abs(best_bound_);
  const double known =
      upper < kInfinite ? static_cast<double>(upper) : best_bound_ + 0.2 * size + 1;
  const double gap = std::min(known, best_bound_ + 0.5 * size + 1) - bound;
  const double reach = step_ * std::max(gap, 1e-4 * std::abs(bound) + 1);
  mover_.Move(usage, forget_, reach, prices_);
}

void PriceAscent::Prove(double enough) {
  constexpr int kMostSweeps = 30;
  dual_.SetPrices(best_prices_);
  if (!best_messages_.empty()) dual_.SetMessages(best_messages_);
  double last = -1e300;
  for (int k = 0; k < kMostSweeps && (k == 0 || !budget_.Spent()); ++k) {
    const double bound = dual_.Sweep();
    budget_.AddWork(entries_);
    proven_bound_ = std::max(proven_bound_, bound);
    if (bound >= enough || bound - last < 1e-6 * std::abs(bound)) break;
    last = bound;
  }
  best_messages_ = dual_.messages();
  proven_ = std::max(proven_, dual_.SafeBound());
  budget_.AddWork(2 * entries_);
}

}  // namespace metadist
