// SPDX-License-Identifier: Apache-2.0
#include "profiles/provenance.h"

namespace metadist {

std::string_view Name(Provenance provenance) {
  constexpr std::string_view kNames[] = {"measured", "borrowed", "analytic"};
  return kNames[static_cast<size_t>(provenance)];
}

std::string_view Name(Reach reach) {
  constexpr std::string_view kNames[] = {"exact", "interpolated", "extrapolated", "transferred"};
  return kNames[static_cast<size_t>(reach)];
}

}  // namespace metadist
