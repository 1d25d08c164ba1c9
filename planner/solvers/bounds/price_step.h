// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// Subgradient steps of memory prices, one per kept time: along usage - limit at every priced time
// and violated peak, averaged over steps, as near the top the direction flips between the sides of
// a kink (deflection; the average is that of the volume algorithm, Barahona and Anbil 2000).
class PriceStep {
 public:
  // No direction yet. Without a limit there is nothing to move.
  explicit PriceStep(const Reduced& reduced);

  // Moves the prices, which stay >= 0. usage: of a relaxed choice that attains the bound at these
  // prices. forget: the share of the new direction in the average. reach: the gain in cost that the
  // step aims at (Polyak: its length is reach / |direction|^2). False if there is no direction.
  bool Move(const std::vector<int64_t>& usage,
            double forget,
            double reach,
            std::vector<double>& prices);

  const std::vector<double>& direction() const { return direction_; }
  void SetDirection(std::vector<double> direction) { direction_ = std::move(direction); }
  void Forget() { direction_.assign(direction_.size(), 0); }

 private:
  int64_t limit_;
  std::vector<double> direction_;  // in parts of the limit
};

}  // namespace metadist
