// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "planner/space/assignment.h"
#include "planner/space/redistribution.h"

namespace metadist {

// Names in a plan file.
inline std::string_view Name(Redistribution::Place place) {
  constexpr std::string_view kNames[] = {"kept", "use", "output"};
  return kNames[static_cast<size_t>(place)];
}

inline std::string_view Name(ReduceIn reduce_in) {
  constexpr std::string_view kNames[] = {"f32", "type"};
  return kNames[static_cast<size_t>(reduce_in)];
}

}  // namespace metadist
