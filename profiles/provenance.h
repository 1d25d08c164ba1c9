// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace metadist {

// Origin of a number, best first. A sum has the worst provenance of its parts.
enum class Provenance {
  kMeasured,  // by this tool, on the machine that the profile describes
  kBorrowed,  // published by others, with source, licence and date
  kAnalytic,  // a formula and its parameters
};
inline constexpr int kProvenances = 3;

// Relation of a price to the rows that it was computed from, nearest first.
enum class Reach {
  kExact,
  kInterpolated,  // between two rows
  kExtrapolated,  // beyond the last row
  kTransferred,   // from rows of another shape, element type, group or machine
};

// "measured", "borrowed", "analytic".
std::string_view Name(Provenance provenance);
// "exact", "interpolated", "extrapolated", "transferred".
std::string_view Name(Reach reach);

}  // namespace metadist
