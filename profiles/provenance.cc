// SPDX-License-Identifier: Apache-2.0
#include "profiles/provenance.h"

namespace metadist {

std::string_view Name(Provenance provenance) {
  switch (provenance) {
    case Provenance::kMeasured:
      return "measured";
    case Provenance::kBorrowed:
      return "borrowed";
    case Provenance::kAnalytic:
      return "analytic";
  }
  return "";
}

std::string_view Name(Reach reach) {
  switch (reach) {
    case Reach::kExact:
      return "exact";
    case Reach::kInterpolated:
      return "interpolated";
    case Reach::kExtrapolated:
      return "extrapolated";
    case Reach::kTransferred:
      return "transferred";
  }
  return "";
}

}  // namespace metadist
