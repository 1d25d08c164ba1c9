// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/rules/probe/black_box.h"
#include "planner/rules/probe/coupled_sizes.h"

namespace metadist {

// Which of several possible couplings of equal numbers is assumed first. kPlaces: from the first
// slot to the last, like the common refinement of two products; kShared: no set of a single dim and
// literals (such as a padding that completes a stride); kDims: no set that contains a literal.
enum class ShrinkOrder : uint8_t { kFirst, kPlaces, kLast, kLargest, kSmallest, kShared, kDims };
inline constexpr ShrinkOrder kShrinkOrders[] = {ShrinkOrder::kFirst,
                                                ShrinkOrder::kPlaces,
                                                ShrinkOrder::kLast,
                                                ShrinkOrder::kLargest,
                                                ShrinkOrder::kSmallest,
                                                ShrinkOrder::kShared,
                                                ShrinkOrder::kDims};

// Slot values of small calls of the same form as box.values(): independent sizes become distinct
// small primes, ratios are kept. Uses shape inference only, so the call may be of any size. A wrong
// assumption gives a call of another form: the caller checks that the call is an instance of what
// is found.
class SmallCalls {
 public:
  // The box is not changed, and must outlive the object.
  explicit SmallCalls(BlackBox& box);

  // The call that this order leads to; nullopt: `reason` is set.
  std::optional<std::vector<int64_t>> By(ShrinkOrder order, std::string& reason);

 private:
  BlackBox& box_;
  CoupledSizes coupled_;
  bool legal_;
};

}  // namespace metadist
