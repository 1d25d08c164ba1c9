// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/solvers/budget.h"
#include "planner/solvers/dual.h"
#include "planner/solvers/primal.h"
#include "planner/solvers/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Bound, incumbent and prices of a reduced problem with a limit, improved in rounds.
class PriceSearch {
 public:
  PriceSearch(Reduced reduced, uint64_t seed, Budget& budget);

  // First incumbent from the choice of least memory. May fail.
  void Start();
  // Takes over a choice of the original problem if its strategies survived the reduction.
  void Offer(const Choice& original);
  // Raises the bound by at most `rounds` price steps; rounds off to incumbents on the way.
  void RaiseBound(int rounds);
  // `rounds` local searches under moving prices.
  void Improve(int rounds);
  // Deletes the strategies that no better choice than the incumbent takes.
  void Prune();

  const Reduced& reduced() const { return reduced_; }
  bool found() const { return incumbent_.has_value(); }
  // Cost of the incumbent; it must exist.
  int64_t cost() const { return cost_; }
  // The incumbent in the reduced problem, and in the original.
  const Choice& incumbent() const { return *incumbent_; }
  Choice Original() const { return reduced_.Expand(*incumbent_); }
  // Proven bound; with an incumbent never above its cost.
  int64_t bound() const;
  bool closed() const { return found() && bound() >= cost_; }
  const std::vector<double>& prices() const { return best_prices_; }
  // Takes a feasible choice of the reduced problem as incumbent if it is better.
  bool Take(const Choice& choice);

 private:
  void Step(Choice& choice);
  void Block(Choice& choice, const std::vector<int>& region);
  std::vector<int> Region();
  // Splices the choice with the last ones on the other side of the limit and with the incumbent.
  void Mix(const Choice& choice, bool fits);
  // Repairs, polishes and takes. True if it was feasible in the end; `choice` is changed then.
  bool Finish(Choice& choice);
  void MovePrices(const Choice& choice, double bound);
  void ProveBound();
  int64_t entries() const { return entries_; }
  void Rebuild();

  Reduced reduced_;
  Budget& budget_;
  Random random_;
  std::optional<Dual> dual_;
  std::optional<Primal> primal_;
  int64_t entries_ = 0;

  std::optional<Choice> incumbent_;
  int64_t cost_ = 0;
  // Exact, for all choices (before pruning) or for those better than the incumbent (after).
  int64_t proven_ = -kInfinite;
  // In doubles, at best_prices_.
  double best_bound_ = -1e300;
  std::vector<double> best_prices_;
  std::vector<double> prices_;
  std::vector<double> momentum_;
  std::vector<double> noise_;
  std::optional<Choice> last_fitting_;
  std::optional<Choice> last_exceeding_;
  double step_ = 1;
  int stalled_ = 0;
};

}  // namespace metadist
