// SPDX-License-Identifier: Apache-2.0
#include "profiles/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiles/cluster.h"

namespace metadist {
namespace {

Profile TwoOrigins() {
  Profile profile;
  profile.origins["here"] = {Provenance::kMeasured, "test", "own", "", false};
  profile.origins["there"] = {Provenance::kBorrowed, "test", "own", "", true};
  return profile;
}

Sample At(double time_us, const char* origin = "here") {
  Sample sample;
  sample.time_us = time_us;
  sample.origin = origin;
  return sample;
}

TEST(Series, ReadsRowsExactlyAndLinesBetweenThem) {
  const Profile profile = TwoOrigins();
  const Series series = {{1000, At(10)}, {3000, At(30)}};
  EXPECT_DOUBLE_EQ(ReadAtBytes(profile, series, 3000).seconds, 30e-6);
  EXPECT_EQ(ReadAtBytes(profile, series, 3000).reach, Reach::kExact);
  EXPECT_DOUBLE_EQ(ReadAtBytes(profile, series, 1500).seconds, 15e-6);
  EXPECT_EQ(ReadAtBytes(profile, series, 1500).reach, Reach::kInterpolated);
}

TEST(Series, HoldsTheTimeBelowTheFirstRow) {
  const Profile profile = TwoOrigins();
  const Series series = {{1000, At(10)}, {3000, At(30)}};
  EXPECT_DOUBLE_EQ(ReadAtBytes(profile, series, 1).seconds, 10e-6);
  EXPECT_EQ(ReadAtBytes(profile, series, 1).reach, Reach::kExtrapolated);
}

TEST(Series, ContinuesTheSlopeOfThreeOctavesWithinItsClamp) {
  const Profile profile = TwoOrigins();
  // Latency 1 and 1 us per 1000 bytes: the slope is within the clamp.
  const Series line = {{1000, At(2)}, {8000, At(9)}, {16000, At(17)}};
  EXPECT_NEAR(ReadAtBytes(profile, line, 32000).seconds, 33e-6, 1e-12);
  EXPECT_EQ(ReadAtBytes(profile, line, 32000).reach, Reach::kExtrapolated);
  // Constant rows would imply infinite bandwidth: the time is at least 0.85 of that at constant
  // bandwidth.
  const Series flat = {{1000, At(10)}, {8000, At(10)}};
  EXPECT_NEAR(ReadAtBytes(profile, flat, 16000).seconds, 0.85 * 20e-6, 1e-12);
  // Rows with falling bandwidth: the time is at most that at constant bandwidth.
  const Series worse = {{1000, At(1)}, {8000, At(100)}};
  EXPECT_NEAR(ReadAtBytes(profile, worse, 16000).seconds, 200e-6, 1e-12);
}

TEST(Series, TakesTheShorterOfTheTwoPlaces) {
  const Profile profile = TwoOrigins();
  Sample sample = At(68.5);
  sample.time_inplace_us = 24.7;
  EXPECT_DOUBLE_EQ(ReadRow(profile, sample).seconds, 24.7e-6);
}

TEST(Series, KeepsTheWorstEvidence) {
  const Profile profile = TwoOrigins();
  const Series series = {{1000, At(10)}, {3000, At(30, "there")}};
  const Reading between = ReadAtBytes(profile, series, 2000);
  EXPECT_EQ(between.provenance, Provenance::kBorrowed);
  EXPECT_EQ(between.reach, Reach::kTransferred);
  EXPECT_NEAR(PriceOf(profile, Subject::kCollective, between).band, 0.15, 1e-12);
  EXPECT_NEAR(
      PriceOf(profile, Subject::kOther, ReadAtBytes(profile, series, 1000)).band, 0.03, 1e-12);
}

struct Errors {
  double mean = 0, median = 0, p90 = 0, max = 0;
};

// Summary of absolute errors in percent.
Errors Summary(std::vector<double> percent) {
  std::sort(percent.begin(), percent.end());
  Errors errors;
  for (const double one : percent) errors.mean += one / static_cast<double>(percent.size());
  errors.median = percent[percent.size() / 2];
  errors.p90 = percent[percent.size() * 9 / 10];
  errors.max = percent.back();
  return errors;
}

double PercentOff(double predicted, double truth) { return 100 * std::abs(predicted / truth - 1); }

// Errors for the rows that a grid of every step-th row omits, over all sweeps inside a node of the
// built-in profiles.
Errors LeftOut(int step) {
  std::vector<double> percent;
  for (const char* name : {"a100", "h100"}) {
    const auto profile = BuiltinProfile(name).value();
    for (const auto& [key, series] : profile->collectives) {
      if (key.nodes > 1) continue;
      Series coarse, left_out;
      int index = 0;
      for (const auto& row : series) (index++ % step == 0 ? coarse : left_out).insert(row);
      for (const auto& [bytes, sample] : left_out) {
        if (bytes > coarse.rbegin()->first) continue;
        const double predicted = ReadAtBytes(*profile, coarse, bytes).seconds * 1e6;
        percent.push_back(PercentOff(predicted, sample.time_us));
      }
    }
  }
  return Summary(std::move(percent));
}

// Mean, p90 and max as published for all systems (4.6 11.6 80; 6.1 15.1 88; 6.9 17.4 63), except
// the mean for steps x4, which is 5.0 on these 24 sweeps.
TEST(Series, PredictsLeftOutSizesOfTheBuiltInRows) {
  const struct {
    int octaves;
    double mean, p90, max;
  } kGrids[] = {{2, 5.0, 11.6, 80.5}, {3, 6.1, 15.1, 88.5}, {4, 6.9, 17.4, 63.5}};
  for (const auto& grid : kGrids) {
    const Errors errors = LeftOut(grid.octaves);
    EXPECT_LE(errors.mean, grid.mean) << "octaves " << grid.octaves;
    EXPECT_LE(errors.p90, grid.p90) << "octaves " << grid.octaves;
    EXPECT_LE(errors.max, grid.max) << "octaves " << grid.octaves;
  }
}

// Predicts rows above 512 MiB from those up to it, between nodes. One of the seven sweeps (A100)
// has an anomaly at exactly that size, which causes the maximum for both rules.
TEST(Series, PredictsLargeSizesBetterThanHeldBandwidth) {
  constexpr int64_t kLast = int64_t{512} << 20;
  std::vector<double> percent, held_percent;
  for (const char* name : {"a100", "h100"}) {
    const auto profile = BuiltinProfile(name).value();
    for (const auto& [key, series] : profile->collectives) {
      const auto end = series.upper_bound(kLast);
      if (series.begin()->first >= kLast / 8 || end == series.end()) continue;
      const Series known(series.begin(), end);
      const auto& [last_bytes, last] = *known.rbegin();
      for (auto row = end; row != series.end(); ++row) {
        const double truth = ReadRow(*profile, row->second).seconds;
        const double ratio = static_cast<double>(row->first) / static_cast<double>(last_bytes);
        percent.push_back(PercentOff(ReadAtBytes(*profile, known, row->first).seconds, truth));
        held_percent.push_back(PercentOff(ReadRow(*profile, last).seconds * ratio, truth));
      }
    }
  }
  const Errors errors = Summary(std::move(percent));
  const Errors held = Summary(std::move(held_percent));
  EXPECT_LT(errors.mean, held.mean);
  EXPECT_LT(errors.median, held.median);
  EXPECT_LE(errors.median, 3);
  EXPECT_LE(errors.max, 52);
}

}  // namespace
}  // namespace metadist
