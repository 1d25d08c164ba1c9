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

// One value per kept time of a problem (a price, say), moved to the kept times of a remainder of
// it.
std::vector<double> MoveToKept(const std::vector<double>& values, const ReducedAgain& left);
// The same for a set of kept times.
std::set<int> MoveTimes(const std::set<int>& times, const ReducedAgain& left);

// The bound side of a search: prices of memory that raise the bound of a reduced problem, step by
// step. Knows nothing of incumbents but the cost of the best.
class PriceAscent {
 public:
  // Both must outlive the object. Prices start at 0.
  PriceAscent(const Reduced& reduced, Budget& budget);

  // Goes on where the ascent of a problem stands of which this one, `left`, is a remainder.
  void Inherit(const Reduced& before, const PriceAscent& ascent, const ReducedAgain& left);

  // At most `rounds` price steps, fewer if the budget is spent or the ascent has converged. upper:
  // cost of the best known choice, kInfinite if there is none. enough: no higher bound is wanted.
  void Climb(int rounds, int64_t upper, double enough = static_cast<double>(kInfinite));
  // Sweeps at the best prices and proves the bound there in integers. Needs one sweep whatever the
  // budget, and no more where `enough` is reached.
  void Prove(double enough = static_cast<double>(kInfinite));

  // Proven: no feasible choice of the reduced problem costs less. -kInfinite before Prove.
  int64_t proven() const { return proven_; }
  // At the best prices, in doubles.
  double bound() const { return proven_bound_; }
  // No gain worth its time is left, until a better choice is known.
  bool converged() const { return converged_; }
  const std::vector<double>& prices() const { return best_prices_; }
  // At the best prices after Prove.
  Dual& dual() { return dual_; }
  const Dual& dual() const { return dual_; }
  // The last few choices rounded from the messages, good to start local searches from.
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
  // The best prices and the messages there, and where the ascent goes on from.
  std::vector<double> best_prices_;
  std::vector<double> best_messages_;
  std::vector<double> prices_;
  std::vector<double> messages_;
  double step_ = 0.3;
  // The share of a new direction in the average.
  double forget_ = 0.7;
  // Rounds left in which only the messages move.
  int settling_ = 0;
  int64_t upper_ = kInfinite;
  // Rounds in a row without a gain, and without one worth its time.
  int stalled_ = 0;
  int small_gains_ = 0;
  bool converged_ = false;
  int64_t rounds_ = 0;
  std::vector<Choice> rounded_;
};

}  // namespace metadist
