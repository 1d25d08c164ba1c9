// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Prices of memory that wander about those of the bound, led by what they make a choice do.
class PriceWalk {
 public:
  // Starts from these prices.
  void Begin(std::vector<double> prices);
  bool begun() const { return !prices_.empty(); }

  const std::vector<double>& prices() const { return prices_; }
  // Raises them at the peaks of a choice that exceeds the limit, lowers all if it fits. gap:
  // between incumbent and bound, sets the length of the step. True if the choice fits.
  bool Follow(const Reduced& reduced, const Choice& choice, double gap, Random& random);

 private:
  std::vector<double> prices_;
  double total_ = 0;
};

}  // namespace metadist
