// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/rules/black_box.h"

namespace metadist {

// Which of several possible ties of equal numbers is believed first; kPlaces goes from the first
// slot to the last, as the common refinement of two products does; kDims believes in none that
// holds a literal.
enum class ShrinkOrder : uint8_t { kFirst, kPlaces, kLast, kLargest, kSmallest, kDims };
inline constexpr ShrinkOrder kShrinkOrders[] = {ShrinkOrder::kFirst,
                                                ShrinkOrder::kPlaces,
                                                ShrinkOrder::kLast,
                                                ShrinkOrder::kLargest,
                                                ShrinkOrder::kSmallest,
                                                ShrinkOrder::kDims};

// Slot values of a small call of the same form as box.values(): independent sizes become distinct
// small primes, ratios stay. Uses shape inference only, so the call may be of any size. None:
// `reason` says why. A wrong belief gives a call of another form: the caller checks that the call
// is an instance of what is found.
std::optional<std::vector<int64_t>> Shrink(BlackBox& box, ShrinkOrder order, std::string& reason);

}  // namespace metadist
