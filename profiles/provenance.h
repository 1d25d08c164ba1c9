// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace metadist {

// Where a figure comes from, best first. A sum inherits the worst of its parts.
enum class Provenance {
  kMeasured,  // by this tool, on the machine the profile describes
  kBorrowed,  // published by others: source, licence and date are kept
  kAnalytic,  // a formula and its scalars
};
inline constexpr int kProvenances = 3;

// How far a price lies from the row that it was read from, nearest first.
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
