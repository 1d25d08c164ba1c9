// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/solvers/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Prices of memory that wander about those of the bound, led by what they make a choice do.
class PriceWalk {
 public:
  // Starts from these prices. scale: the gap between incumbent and bound, in units of cost.
  void Begin(std::vector<double> prices, double scale);
  bool begun() const { return !prices_.empty(); }

  const std::vector<double>& prices() const { return prices_; }
  // Raises them at the peaks of a choice that exceeds the limit, lowers all if it fits. True if it
  // fits.
  bool Follow(const Reduced& reduced, const Choice& choice, Random& random);
  // Back to the start, all times a random factor.
  void Restart(Random& random);

 private:
  std::vector<double> start_;
  std::vector<double> prices_;
  double total_ = 0;
  double scale_ = 1;
};

}  // namespace metadist
