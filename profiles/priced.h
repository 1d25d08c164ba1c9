// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "profiles/provenance.h"

namespace metadist {

// A price with its evidence. Sequential parts are added with +=; the sum keeps the worst class and
// reach of its parts, the share of time per class, and as band the time-weighted mean of the parts'
// bands (their errors need not cancel).
struct Priced {
  double seconds = 0;
  Provenance provenance = Provenance::kMeasured;
  Reach reach = Reach::kExact;
  double band = 0;  // relative: the true time is expected in seconds x (1 -/+ band)
  std::array<double, kProvenances> seconds_by_class{};

  Priced& operator+=(const Priced& other);
  // The same work `factor` times, or slowed down by it.
  Priced operator*(double factor) const;
  // Share of the time with provenance `of`, 0..1; 0 for an empty sum.
  double share(Provenance of) const;
};

// A single price; all of its time belongs to its class. A price of zero seconds does not affect the
// evidence of a sum.
Priced MakePriced(double seconds, Provenance provenance, Reach reach, double band);

// The price of concurrent parts that are done when the slower one is: that of the slower one.
Priced Slower(const Priced& a, const Priced& b);

}  // namespace metadist
