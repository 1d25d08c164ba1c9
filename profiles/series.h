// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "profiles/priced.h"
#include "profiles/profile.h"

namespace metadist {

// A time read from rows, with the evidence of the rows it was read from.
struct Reading {
  double seconds = 0;
  Provenance provenance = Provenance::kMeasured;
  Reach reach = Reach::kExact;
};

// The row itself: exact, or transferred if its origin says so. Of a time out of place and one in
// place the shorter counts: the buffers are ours to choose.
Reading ReadRow(const Profile& profile, const Sample& sample);

// Keeps the worse evidence of the two and the given time.
Reading Merge(double seconds, const Reading& a, const Reading& b);

// Time at `bytes` from rows by bytes (rule and errors: series.cc). `series` must not be empty.
Reading ReadAtBytes(const Profile& profile, const Series& series, int64_t bytes);

// What the rows are about; borrowed rows of contractions agree less among sources.
enum class Subject { kCollective, kContraction, kOther };

// Reading to price: adds the error band that its class and reach deserve.
//   measured 3 % exact, 5 % interpolated; borrowed 5 %, contractions 15 %; analytic: the profile's
//   analytic_band; extrapolated 5 % more, transferred 10 % more.
Priced PriceOf(const Profile& profile, Subject subject, const Reading& reading);

}  // namespace metadist
