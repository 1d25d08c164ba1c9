// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/bounds/price_step.h"
#include "planner/solvers/problem/budget.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Maps one value per kept time of a problem (a price, say) to the kept times of its reduction
// `left`.
std::vector<double> MoveToKept(const std::vector<double>& values, const ReducedAgain& left);
// The same for a set of kept times.
std::set<int> MoveTimes(const std::set<int>& times, const ReducedAgain& left);

// The bound side of a search: memory prices that raise the bound of a reduced problem step by step.
// The only thing it knows of incumbents is the cost of the best one.
class PriceAscent {
 public:
  // Both must outlive the object. Prices start at 0.
  PriceAscent(const Reduced& reduced, Budget& budget);

  // Continues `ascent`, which belongs to `before`; this problem is the reduction `left` of it.
  void Inherit(const Reduced& before, const PriceAscent& ascent, const ReducedAgain& left);

  // At most `rounds` price steps; fewer if the budget is spent or the ascent has converged. upper:
  // cost of the best known choice, kInfinite if there is none. enough: stops at this bound.
  void Climb(int rounds, int64_t upper, double enough = static_cast<double>(kInfinite));
  // Sweeps at the best prices and proves the bound there in integers. Makes at least one sweep
  // whatever the budget, and stops once `enough` is reached.
  void Prove(double enough = static_cast<double>(kInfinite));

  // Proven lower bound of the cost of every feasible choice of the reduced problem. -kInfinite
  // before Prove.
  int64_t proven() const { return proven_; }
  // The bound at the best prices, in doubles.
  double bound() const { return proven_bound_; }
  // No further gain worth its time is expected until a better choice is known.
  bool converged() const { return converged_; }
  const std::vector<double>& prices() const { return best_prices_; }
  // At the best prices after Prove.
  Dual& dual() { return dual_; }
  // The last few choices rounded from the messages, as starting points for local search.
  const std::vector<Choice>& rounded() const { return rounded_; }

 private:
  void Judge(double bound);
  void MovePrices(double bound, int64_t upper);
  void Keep(Choice choice);

  const Reduced& reduced_;
  Budget& budget_;
  Dual dual_;
  PriceStep mover_;
  int64_t entries_ = 0;
  int64_t proven_ = -kInfinite;
  double best_bound_ = -1e300;
  double proven_bound_ = -1e300;
  // The best prices with their messages, and the prices and messages from which the ascent
  // continues.
  std::vector<double> best_prices_;
  std::vector<double> best_messages_;
  std::vector<double> prices_;
  std::vector<double> messages_;
  double step_ = 0.3;
  // The weight of a new direction in the average.
  double forget_ = 0.7;
  // Number of remaining rounds in which only the messages change.
  int settling_ = 0;
  int64_t upper_ = kInfinite;
  // Number of consecutive rounds without a gain, and without a gain worth its time.
  int stalled_ = 0;
  int small_gains_ = 0;
  bool converged_ = false;
  int64_t rounds_ = 0;
  std::vector<Choice> rounded_;
};

}  // namespace metadist
