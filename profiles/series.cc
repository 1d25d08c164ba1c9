// SPDX-License-Identifier: Apache-2.0
//
// Times at sizes that were not measured.
//
// Problem: t(bytes) of a copy or a collective is known at some sizes, about powers of two over six
// decades. It is piecewise convex: a latency floor, ramps, and jumps where the library changes its
// protocol or algorithm.
//
// Approaches: constant bandwidth from the nearest size (mean error 34 % on a grid of steps x4), one
// latency plus bandwidth line through all sizes (13 %), linear interpolation on logarithmic axes
// (5.1 %), linear interpolation on linear axes (4.6 %). The last one is used: it is exact wherever
// a single latency-bandwidth law holds between two rows, and it needs no fit.
//
// Below the first row the time is constant: latency does not shrink with bytes. Above the last row
// the slope of the last three octaves is continued, but clamped to 0.85 to 1 times the time at
// constant bandwidth: the slope alone can exceed the rate of the wire, and constant bandwidth is
// too slow in 96 % of published cases, by 9 % on average up to 16 GiB; the clamped slope by 6 %.
//
// Complexity: O(log rows). Figures: own computation over 60 published sweeps; the tests recompute
// them from the built-in rows.
#include "profiles/series.h"

#include <algorithm>
#include <iterator>

#include "metair/ir/check.h"
#include "profiles/factors.h"

namespace metadist {
namespace {

constexpr int64_t kOctaves = 8;  // three of them
constexpr double kLeastOfHeldBandwidth = 0.85;

Reading Above(const Profile& profile, const Series& series, int64_t bytes) {
  const auto& [last_bytes, last] = *series.rbegin();
  const Reading row = ReadRow(profile, last);
  const double held = row.seconds * (static_cast<double>(bytes) / last_bytes);
  double seconds = held;
  if (series.size() > 1) {
    auto first = series.upper_bound(last_bytes / kOctaves);
    if (first != series.begin()) first = std::prev(first);
    const double rise = row.seconds - ReadRow(profile, first->second).seconds;
    const double slope = rise / static_cast<double>(last_bytes - first->first);
    const double continued = row.seconds + slope * static_cast<double>(bytes - last_bytes);
    seconds = std::clamp(continued, kLeastOfHeldBandwidth * held, held);
  }
  return {seconds, row.provenance, std::max(row.reach, Reach::kExtrapolated)};
}

}  // namespace

Reading ReadRow(const Profile& profile, const Sample& sample) {
  const auto origin = profile.origins.find(sample.origin);
  CHECK(origin != profile.origins.end(), "a row of the profile names no origin");
  const bool transferred = origin->second.transferred;
  double time_us = sample.time_us;
  if (sample.time_inplace_us > 0) time_us = std::min(time_us, sample.time_inplace_us);
  return {
      time_us * 1e-6, origin->second.provenance, transferred ? Reach::kTransferred : Reach::kExact};
}

Reading Analytic(double seconds) { return {seconds, Provenance::kAnalytic, Reach::kTransferred}; }

Reading Between(const Reading& a, const Reading& b, double part) {
  return {a.seconds + part * (b.seconds - a.seconds),
          std::max(a.provenance, b.provenance),
          std::max({a.reach, b.reach, part > 0 ? Reach::kInterpolated : Reach::kExact})};
}

Reading ReadAtBytes(const Profile& profile, const Series& series, int64_t bytes) {
  CHECK(!series.empty(), "a series needs a row");
  const auto upper = series.lower_bound(bytes);
  if (upper == series.end()) return Above(profile, series, bytes);
  const Reading high = ReadRow(profile, upper->second);
  if (upper->first == bytes) return high;
  if (upper == series.begin()) {
    return {high.seconds, high.provenance, std::max(high.reach, Reach::kExtrapolated)};
  }
  const auto lower = std::prev(upper);
  const double part =
      static_cast<double>(bytes - lower->first) / static_cast<double>(upper->first - lower->first);
  return Between(ReadRow(profile, lower->second), high, part);
}

Priced PriceOf(const Profile& profile, Subject subject, const Reading& reading) {
  double band = 0;
  switch (reading.provenance) {
    case Provenance::kMeasured:
      band = reading.reach == Reach::kExact ? 0.03 : 0.05;
      break;
    case Provenance::kBorrowed:
      band = subject == Subject::kContraction ? 0.15 : 0.05;
      break;
    case Provenance::kAnalytic:
      band = profile.factor(kAnalyticBand, 0.35);
      break;
  }
  if (reading.provenance != Provenance::kAnalytic) {
    if (reading.reach == Reach::kExtrapolated) band += 0.05;
    if (reading.reach == Reach::kTransferred) band += 0.10;
  }
  return MakePriced(reading.seconds, reading.provenance, reading.reach, band);
}

}  // namespace metadist
