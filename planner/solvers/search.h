// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/solvers/budget.h"
#include "planner/solvers/dual.h"
#include "planner/solvers/improve.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Bound, incumbent and prices of a reduced problem with a limit, improved in rounds.
class PriceSearch {
 public:
  PriceSearch(Reduced reduced, uint64_t seed, Budget& budget);

  // First incumbent from the choice of least memory. May fail.
  void Start() { improver_.Start(); }
  // Takes over a choice of the original problem if its strategies survived the reduction.
  void Offer(const Choice& original);
  // Raises the bound by at most `rounds` price steps; rounds off to incumbents on the way.
  void RaiseBound(int rounds);
  // `rounds` local searches under moving prices.
  void Improve(int rounds);
  // Deletes the strategies that no better choice than the incumbent takes.
  void Prune();

  const Reduced& reduced() const { return reduced_; }
  bool found() const { return improver_.found(); }
  // Cost of the incumbent; it must exist.
  int64_t cost() const { return improver_.cost(); }
  // The incumbent in the reduced problem, and in the original.
  const Choice& incumbent() const { return improver_.incumbent(); }
  Choice Original() const { return reduced_.Expand(incumbent()); }
  // Proven bound; with an incumbent never above its cost.
  int64_t bound() const;
  bool closed() const { return found() && bound() >= cost(); }
  const std::vector<double>& prices() const { return best_prices_; }
  // Takes a feasible choice of the reduced problem as incumbent if it is better.
  bool Take(const Choice& choice) { return improver_.Take(choice); }

 private:
  void MovePrices(const Choice& choice, double bound);
  void ProveBound();
  void SetUp();

  Reduced reduced_;
  Budget& budget_;
  std::optional<Dual> dual_;
  Improver improver_;
  int64_t entries_ = 0;

  // Exact, for all choices (before pruning) or for those better than the incumbent (after).
  int64_t proven_ = -kInfinite;
  // In doubles, at best_prices_.
  double best_bound_ = -1e300;
  std::vector<double> best_prices_;
  std::vector<double> prices_;
  std::vector<double> momentum_;
  double step_ = 1;
  int stalled_ = 0;
};

}  // namespace metadist
