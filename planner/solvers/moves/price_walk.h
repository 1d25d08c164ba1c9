// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Memory prices that vary around those of the bound, driven by the usage of the choices they lead
// to.
class PriceWalk {
 public:
  // Starts from these prices.
  void Begin(std::vector<double> prices);
  bool begun() const { return !prices_.empty(); }

  const std::vector<double>& prices() const { return prices_; }
  // Raises the prices at the peaks of a choice that exceeds the limit, or lowers all of them if it
  // fits. gap: between incumbent and bound; determines the step length. True if the choice fits.
  bool Follow(const Reduced& reduced, const Choice& choice, double gap, Random& random);

 private:
  std::vector<double> prices_;
  double total_ = 0;
};

}  // namespace metadist
