// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "profiles/provenance.h"

namespace metadist {

// A price with its evidence. Parts that follow one another are added with +=; the sum keeps the
// worst class and reach of its parts, the share of time per class, and a band that is the
// time-weighted mean of the parts' bands (their errors need not cancel).
struct Priced {
  double seconds = 0;
  Provenance provenance = Provenance::kMeasured;
  Reach reach = Reach::kExact;
  double band = 0;  // relative: the truth is expected in seconds x (1 -/+ band)
  std::array<double, kProvenances> seconds_by_class{};

  Priced& operator+=(const Priced& other);
  // The same work `factor` times (or slowed by it).
  Priced operator*(double factor) const;
  // Part of the time that rests on `of`, 0..1; 0 for an empty sum.
  double share(Provenance of) const;
};

// A single price, its time booked on its class. Zero seconds carry no evidence and spoil none.
Priced MakePriced(double seconds, Provenance provenance, Reach reach, double band);

// Parts that run side by side and are over when the slower is: the slower one's price.
Priced Slower(const Priced& a, const Priced& b);

}  // namespace metadist
