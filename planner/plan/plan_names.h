// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "planner/space/assignment.h"
#include "planner/space/redistribution.h"

namespace metadist {

// Names of Redistribution::Place in a plan file.
inline constexpr std::array<std::string_view, 3> kPlaceNames{"kept", "use", "output"};

inline std::string_view Name(Redistribution::Place place) {
  return kPlaceNames[static_cast<size_t>(place)];
}

inline constexpr std::array<std::string_view, 2> kReduceInNames{"f32", "type"};

inline std::string_view Name(ReduceIn reduce_in) {
  return kReduceInNames[static_cast<size_t>(reduce_in)];
}

}  // namespace metadist
