// SPDX-License-Identifier: Apache-2.0
//
// Seconds of a matrix product from a measured grid.
//
// Problem: a profile contains about a thousand products (m, n, k), but a plan may need any shape.
// Time is close to multilinear in m, n, k where the matrix units are busy, flat where the launch or
// loading the weights dominates, and has knees in between.
//
// Approaches: a fixed share of peak (wrong by a factor 2 below 10 GFLOP); a curve of that share
// over GFLOP (ignores skinny shapes); cubic splines (ring at the knees); linear interpolation
// between measured shapes (the published leave-one-out error of such a scheme is 5 % in the median,
// 16 % at p90). The first applicable rule is used:
//   1. the measured shape;
//   2. linear interpolation between the 2, 4 or 8 measured neighbours around (m, n, k); where a
//      corner is missing, along k or n only;
//   3. the nearest measured (n, k), with the same share of the *roofline*: this keeps
//      memory-bound shapes memory-bound;
//   4. the curve over GFLOP, of this type, or of another scaled to this type's peak;
//   5. the nearest (n, k) of another type, with the same share of that type's roofline;
//   6. the roofline, divided by kRooflineShare.
// Batches: rows of the same batch if there are any, else the roofline share of one product with
// batch x m rows, applied to the roofline of the actual bytes: the tiles are the same, only B is
// read more often.
//
// Complexity: O(sites + log rows). The error of rules 2 and 3
// on the published grids is computed in tests/profiles/published/products_test.cc.
#include "profiles/contraction_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "profiles/series.h"

namespace metadist {
namespace {

constexpr double kRooflineShare = 0.6;

// Types whose values are used for a missing type, nearest first.
std::array<ElementType, 4> Relatives(ElementType dtype) {
  using enum ElementType;
  switch (dtype) {
    case kBF16:
      return {kBF16, kF16, kF32, kF64};
    case kF16:
      return {kF16, kBF16, kF32, kF64};
    default:
      return {dtype, kF32, kF64, kBF16};
  }
}

// The sites of one type and batch, by (n, k).
struct Grid {
  const Profile& profile;
  std::map<ContractionSite, Series>::const_iterator begin;
  std::map<ContractionSite, Series>::const_iterator end;
  bool empty() const { return begin == end; }
};

Grid GridOf(const Profile& profile, std::string_view dtype, int64_t batch) {
  ContractionSite key{std::string(dtype), batch, 0, 0};
  const auto begin = profile.contractions.lower_bound(key);
  key.batch = batch + 1;
  return {profile, begin, profile.contractions.lower_bound(key)};
}

// Time at m on one site by linear interpolation; nothing if m is outside its rows.
std::optional<Reading> ReadAtM(const Profile& profile, const Series& series, int64_t m) {
  if (series.empty() || m < series.begin()->first || m > series.rbegin()->first) return {};
  return ReadAtBytes(profile, series, m);
}

// The nearest grid values around `at`: the largest that is <= `at` and the smallest that is >=
// `at`.
struct Around {
  int64_t low = 0;
  int64_t high = std::numeric_limits<int64_t>::max();
  void Offer(int64_t value, int64_t at) {
    if (value <= at) low = std::max(low, value);
    if (value >= at) high = std::min(high, value);
  }
  bool complete() const { return low > 0 && high < std::numeric_limits<int64_t>::max(); }
  double part(int64_t at) const {
    return low == high ? 0 : static_cast<double>(at - low) / static_cast<double>(high - low);
  }
};

// Rules 1 and 2 if every corner around the shape was measured.
std::optional<Reading> ReadBetween(const Grid& grid, const Contraction& work, int64_t m) {
  Around n, k;
  for (auto site = grid.begin; site != grid.end; ++site) {
    n.Offer(site->first.n, work.n);
    k.Offer(site->first.k, work.k);
  }
  if (!n.complete() || !k.complete()) return {};
  std::array<Reading, 4> corners;
  for (size_t i = 0; i < corners.size(); ++i) {
    ContractionSite site = grid.begin->first;
    site.n = i % 2 == 0 ? n.low : n.high;
    site.k = i / 2 == 0 ? k.low : k.high;
    const auto found = grid.profile.contractions.find(site);
    if (found == grid.profile.contractions.end()) return {};
    const std::optional<Reading> corner = ReadAtM(grid.profile, found->second, m);
    if (!corner) return {};
    corners[i] = *corner;
  }
  return Between(Between(corners[0], corners[1], n.part(work.n)),
                 Between(corners[2], corners[3], n.part(work.n)),
                 k.part(work.k));
}

// Rule 2 on a grid with holes: interpolates along k between sites of the same n, or along n between
// sites of the same k.
std::optional<Reading> ReadAlong(const Grid& grid,
                                 const Contraction& work,
                                 int64_t m,
                                 bool along_k) {
  const auto moving = [along_k](const ContractionSite& site) { return along_k ? site.k : site.n; };
  const auto held = [along_k](const ContractionSite& site) { return along_k ? site.n : site.k; };
  const int64_t at = along_k ? work.k : work.n;
  auto low = grid.end, high = grid.end;
  for (auto site = grid.begin; site != grid.end; ++site) {
    if (held(site->first) != (along_k ? work.n : work.k)) continue;
    if (!ReadAtM(grid.profile, site->second, m)) continue;
    const int64_t here = moving(site->first);
    if (here < at && (low == grid.end || here > moving(low->first))) low = site;
    if (here > at && (high == grid.end || here < moving(high->first))) high = site;
  }
  if (low == grid.end || high == grid.end) return {};
  const double part = static_cast<double>(at - moving(low->first)) /
                      static_cast<double>(moving(high->first) - moving(low->first));
  return Between(
      *ReadAtM(grid.profile, low->second, m), *ReadAtM(grid.profile, high->second, m), part);
}

// Rules 1 and 2.
std::optional<Reading> ReadInside(const Grid& grid, const Contraction& work, int64_t m) {
  if (const auto reading = ReadBetween(grid, work, m)) return reading;
  if (const auto reading = ReadAlong(grid, work, m, /*along_k=*/true)) return reading;
  return ReadAlong(grid, work, m, /*along_k=*/false);
}

// Rule 6.
Reading ReadRoofline(const Profile& profile, const Contraction& work) {
  return Analytic(RooflineSeconds(profile, work) / kRooflineShare);
}

// Rules 3 and 5.  dtype: that of the grid.
Reading ReadNearest(const Grid& grid, ElementType dtype, const Contraction& work, int64_t m) {
  auto octaves = [](int64_t a, int64_t b) {
    return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
  };
  auto nearest = grid.end;
  double distance = std::numeric_limits<double>::infinity();
  for (auto site = grid.begin; site != grid.end; ++site) {
    const double here = octaves(site->first.n, work.n) + octaves(site->first.k, work.k);
    if (site->second.empty() || here >= distance) continue;
    distance = here;
    nearest = site;
  }
  if (nearest == grid.end) return ReadRoofline(grid.profile, work);
  const Series& rows = nearest->second;
  const int64_t site_m = std::clamp(m, rows.begin()->first, rows.rbegin()->first);
  Reading reading = ReadAtBytes(grid.profile, rows, site_m);
  const ContractionSite& site = nearest->first;
  const double roofline =
      RooflineSeconds(grid.profile, {dtype, site.batch, site_m, site.n, site.k});
  reading.seconds *= RooflineSeconds(grid.profile, work) / roofline;
  const bool same_site = work.batch == 1 && distance == 0;
  reading.reach = same_site ? std::max(reading.reach, Reach::kExtrapolated) : Reach::kTransferred;
  return reading;
}

// Rule 4: linear interpolation over log2 GFLOP. Above the last point its share is used, below the
// first point the first share, but no product takes less time than the first point. For the curve
// of another type, the time of the first point is computed with the higher of the two peaks.
std::optional<Reading> ReadCurve(const Profile& profile, const Contraction& work) {
  auto curve = profile.efficiency.find(std::string(Name(work.dtype)));
  const bool own = curve != profile.efficiency.end();
  if (!own) curve = profile.efficiency.begin();
  const double peak = PeakFlops(profile, work.dtype);
  if (curve == profile.efficiency.end() || peak <= 0) return {};
  const auto& points = curve->second.fraction_of_peak;
  const double flops = 2.0 * work.batch * work.m * work.n * work.k;
  const double at = std::log2(flops / 1e9);
  double fraction = 0;
  double least = 0;
  const auto high = points.lower_bound(at);
  if (high == points.begin()) {
    const auto type = ParseElementType(curve->first);
    const double rate = std::max(type ? PeakFlops(profile, *type) : 0, peak);
    fraction = high->second;
    least = 1e9 * std::exp2(high->first) / (rate * fraction);
  } else if (high == points.end()) {
    fraction = points.rbegin()->second;
  } else {
    const auto low = std::prev(high);
    const double part = (at - low->first) / (high->first - low->first);
    fraction = low->second + part * (high->second - low->second);
  }
  const Provenance source = profile.origins.at(curve->second.origin).provenance;
  const double seconds =
      std::max({flops / (peak * fraction), least, RooflineSeconds(profile, work)});
  return own ? Reading{seconds, source, Reach::kInterpolated} : Analytic(seconds);
}

Reading ReadContraction(const Profile& profile, const Contraction& work) {
  for (const ElementType type : Relatives(work.dtype)) {
    if (ByteSize(type) != ByteSize(work.dtype)) break;
    const Grid batched = GridOf(profile, Name(type), work.batch);
    const Grid flat = GridOf(profile, Name(type), 1);
    if (work.batch > 1 && !batched.empty()) {
      const auto reading = ReadInside(batched, work, work.m);
      return reading ? *reading : ReadNearest(batched, type, work, work.m);
    }
    if (flat.empty()) continue;
    if (work.batch == 1) {
      if (const auto reading = ReadInside(flat, work, work.m)) return *reading;
    }
    return ReadNearest(flat, type, work, work.batch * work.m);
  }
  if (const auto reading = ReadCurve(profile, work)) return *reading;
  for (const ElementType type : Relatives(work.dtype)) {
    const Grid flat = GridOf(profile, Name(type), 1);
    if (flat.empty()) continue;
    return Analytic(ReadNearest(flat, type, work, work.batch * work.m).seconds);
  }
  return ReadRoofline(profile, work);
}

}  // namespace

double PeakFlops(const Profile& profile, ElementType dtype) {
  for (const auto* rates :
       {&profile.device.contraction_flops_per_second, &profile.device.vector_flops_per_second}) {
    for (const ElementType type : Relatives(dtype)) {
      const auto rate = rates->find(std::string(Name(type)));
      if (rate == rates->end()) continue;
      // A wider type runs at its own rate; a narrower one is no faster without dedicated units.
      return rate->second * std::min(1.0, static_cast<double>(ByteSize(type)) / ByteSize(dtype));
    }
  }
  return 0;
}

double RooflineSeconds(const Profile& profile, const Contraction& work) {
  const double m = static_cast<double>(work.m);
  const double n = static_cast<double>(work.n);
  const double k = static_cast<double>(work.k);
  const double batch = static_cast<double>(work.batch);
  const double bytes = static_cast<double>(ByteSize(work.dtype)) * batch * (m * k + k * n + m * n);
  const double memory = bytes / profile.device.memory_bytes_per_second;
  const double peak = PeakFlops(profile, work.dtype);
  return peak > 0 ? std::max(memory, 2 * batch * m * n * k / peak) : memory;
}

Priced ContractionSeconds(const Profile& profile, const Contraction& work) {
  return PriceOf(profile, Subject::kContraction, ReadContraction(profile, work));
}

}  // namespace metadist
