// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Subgradient steps of memory prices, one per kept time. The direction is usage - limit at every
// time with a price and every violated peak, averaged over steps, because near the maximum it
// alternates between the sides of a kink (deflection; the average is that of the volume algorithm,
// Barahona and Anbil 2000).
class PriceStep {
 public:
  // Starts without a direction. Without a limit there is nothing to move.
  explicit PriceStep(const Reduced& reduced);

  // Moves the prices, which stay >= 0. usage: of a relaxed choice that attains the bound at these
  // prices. forget: weight of the new direction in the average. reach: the target gain in cost
  // (Polyak: the step length is reach / |direction|^2). False if there is no direction.
  bool Move(const std::vector<int64_t>& usage,
            double forget,
            double reach,
            std::vector<double>& prices);

  const std::vector<double>& direction() const { return direction_; }
  void SetDirection(std::vector<double> direction) { direction_ = std::move(direction); }
  void Forget() { direction_.assign(direction_.size(), 0); }

 private:
  int64_t limit_;
  std::vector<double> direction_;  // as a fraction of the limit
};

}  // namespace metadist
