// SPDX-License-Identifier: Apache-2.0
// Sizes between and beyond measured ones (profiles/series.cc) compared with
// interpolation_check.json: rows omitted from every published sweep.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/series.h"
#include "tests/profiles/published/published.h"

namespace metadist::published {
namespace {

// Every `step`-th row of each sweep predicts those in between.
Errors LeftOut(const std::vector<Rows>& sweeps, size_t step) {
  const Profile profile = Empty();
  std::vector<double> percent;
  for (const Rows& rows : sweeps) {
    Rows kept;
    for (size_t i = 0; i < rows.size(); i += step) kept.push_back(rows[i]);
    const Series series = ToSeries(kept);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto [bytes, time_us] = rows[i];
      if (i % step == 0 || bytes > kept.back().first) continue;
      percent.push_back(PercentOff(ReadAtBytes(profile, series, bytes).seconds * 1e6, time_us));
    }
  }
  return Summarize(std::move(percent));
}

// [points, mean, p90, max] as published.
Bound Published(const std::string& table) {
  const auto& row = Data("interpolation_check").at("coarse_grid").at(table).at("linear");
  return {.points = row[0], .mean = row[1], .p90 = row[2], .max = row[3]};
}

TEST(PublishedSizes, LeftOutOfSweepsOfOneNode) {
  for (const int octaves : {2, 3, 4}) {
    const std::string grid = fmt::format("grid_x{}", 1 << octaves);
    EXPECT_TRUE(Within("lines over bytes, one node, " + grid,
                       LeftOut(SweepsOfOneNode(), static_cast<size_t>(octaves)),
                       Published("aiconfigurator_single_node_" + grid)));
  }
}

TEST(PublishedSizes, LeftOutOfOtherSweeps) {
  constexpr size_t kLeastRows = 15;
  for (const int octaves : {2, 3, 4}) {
    const std::string grid = fmt::format("grid_x{}", 1 << octaves);
    EXPECT_TRUE(Within("lines over bytes, other sweeps, " + grid,
                       LeftOut(Sweeps(/*derived=*/false, kLeastRows, /*in_place=*/true),
                               static_cast<size_t>(octaves)),
                       Published("published_sweeps_" + grid)));
  }
}

// Predicts rows above 512 MiB from those up to it.
TEST(PublishedSizes, BeyondTheLastRow) {
  constexpr int64_t kLast = int64_t{512} << 20;
  const Profile profile = Empty();
  std::vector<double> percent;
  for (const Rows& rows : Sweeps(/*derived=*/true, 2, /*in_place=*/false)) {
    Rows known, beyond;
    for (const auto& row : rows) (row.first <= kLast ? known : beyond).push_back(row);
    if (known.size() < 2) continue;
    const Series series = ToSeries(known);
    for (const auto& [bytes, time_us] : beyond) {
      percent.push_back(PercentOff(ReadAtBytes(profile, series, bytes).seconds * 1e6, time_us));
    }
  }
  const auto& row = Data("interpolation_check")
                        .at("beyond_range")
                        .at("slope_last_3_octaves_clamped_to_0.85_1.0_of_hold_bandwidth_time");
  EXPECT_TRUE(
      Within("clamped slope beyond 512 MiB",
             Summarize(std::move(percent)),
             {.points = row[0], .mean = row[1], .median = row[2], .p90 = row[3], .max = row[4]}));
}

}  // namespace
}  // namespace metadist::published
