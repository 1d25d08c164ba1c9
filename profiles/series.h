// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "profiles/priced.h"
#include "profiles/profile.h"

namespace metadist {

// A time computed from rows, with the evidence of those rows.
struct Reading {
  double seconds = 0;
  Provenance provenance = Provenance::kMeasured;
  Reach reach = Reach::kExact;
};

// The row itself: exact, or transferred if its origin says so. The shorter of the times out of
// place and in place counts, because the program chooses the buffers.
Reading ReadRow(const Profile& profile, const Sample& sample);

// A time by a formula.
Reading Analytic(double seconds);

// Linear interpolation with the worse evidence of the two, of reach kInterpolated or worse unless
// part is 0. part: 0 at `a`, 1 at `b`.
Reading Between(const Reading& a, const Reading& b, double part);

// Time at `bytes` from rows by bytes (method and its errors: series.cc). `series` must not be
// empty.
Reading ReadAtBytes(const Profile& profile, const Series& series, int64_t bytes);

// What the rows measure; borrowed rows of contractions vary more between sources.
enum class Subject { kCollective, kContraction, kOther };

// Converts a reading to a price: adds the error band of its class and reach.
//   measured 3 % exact, 5 % interpolated; borrowed 5 %, contractions 15 %; analytic: the profile's
//   analytic_band; extrapolated 5 % more, transferred 10 % more.
Priced PriceOf(const Profile& profile, Subject subject, const Reading& reading);

}  // namespace metadist
