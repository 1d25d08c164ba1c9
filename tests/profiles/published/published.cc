// SPDX-License-Identifier: Apache-2.0
#include "tests/profiles/published/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace metadist::published {
namespace {

constexpr int64_t kSmallestBytes = 512;

// Interpolated between the two nearest of the sorted values.
double Quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

std::string Figure(double value) { return value < 0 ? "-" : fmt::format("{:.1f}", value); }

}  // namespace

const nlohmann::json& Data(const std::string& name) {
  static std::map<std::string, nlohmann::json> files;
  const auto found = files.find(name);
  if (found != files.end()) return found->second;
  std::ifstream file(std::string(METADIST_SOURCE_DIR "/profiles/data/") + name + ".json");
  return files[name] = nlohmann::json::parse(file);
}

std::vector<Rows> SweepsOfOneNode() {
  std::vector<Rows> sweeps;
  for (const auto& [system, of_system] : Data("nccl_aiconfigurator").at("systems").items()) {
    for (const auto& sweep : of_system) {
      if (system == "l40s" || sweep.at("dtype") != "half") continue;
      Rows& rows = sweeps.emplace_back();
      for (const auto& row : sweep.at("rows")) rows.emplace_back(row[0], row[1]);
    }
  }
  return sweeps;
}

std::vector<Rows> Sweeps(bool derived, size_t least, bool in_place) {
  std::vector<Rows> sweeps;
  for (const auto& sweep : Data("nccl_measurements").at("sweeps")) {
    if (sweep.contains("use") || (!derived && sweep.contains("time_derived_from"))) continue;
    Rows rows;
    for (const auto& row : sweep.at("rows")) {
      if (row.at("bytes") < kSmallestBytes) continue;
      double time_us = row.at("time_us");
      if (in_place && row.contains("time_us_inplace"))
        time_us = std::min(time_us, row["time_us_inplace"].get<double>());
      rows.emplace_back(row.at("bytes"), time_us);
    }
    if (rows.size() >= least) sweeps.push_back(std::move(rows));
  }
  return sweeps;
}

Profile Empty() {
  Profile profile;
  profile.origins["there"] = {Provenance::kBorrowed, "test", "none", "", false};
  return profile;
}

Series ToSeries(const Rows& rows) {
  Series series;
  for (const auto& [bytes, time_us] : rows) {
    series[bytes].time_us = time_us;
    series[bytes].origin = "there";
  }
  return series;
}

Errors Summarize(std::vector<double> percent) {
  std::sort(percent.begin(), percent.end());
  Errors errors;
  errors.points = percent.size();
  if (percent.empty()) return errors;
  for (const double one : percent) errors.mean += one / static_cast<double>(percent.size());
  errors.median = Quantile(percent, 0.5);
  errors.p90 = Quantile(percent, 0.9);
  errors.max = percent.back();
  return errors;
}

double PercentOff(double predicted, double truth) { return 100 * std::abs(predicted / truth - 1); }

testing::AssertionResult Within(const std::string& rule, const Errors& errors, const Bound& bound) {
  fmt::print(
      "{:58} {:5} points  mean {:5.1f} ({:>4})  median {:5.1f} ({:>4})  p90 {:5.1f} ({:>4})  "
      "max {:5.1f} ({:>4})\n",
      rule,
      errors.points,
      errors.mean,
      Figure(bound.mean),
      errors.median,
      Figure(bound.median),
      errors.p90,
      Figure(bound.p90),
      errors.max,
      Figure(bound.max));
  if (errors.points == 0 || (bound.points > 0 && errors.points != bound.points))
    return testing::AssertionFailure() << rule << ": expected " << std::max<size_t>(1, bound.points)
                                       << " points, got " << errors.points;
  auto result = testing::AssertionSuccess();
  const auto check = [&](const char* what, double ours, double theirs, double unit) {
    if (theirs < 0 || ours <= theirs + unit / 2) return;
    if (result) result = testing::AssertionFailure() << rule;
    result << ": " << what << " " << ours << " is above " << theirs;
  };
  check("mean", errors.mean, bound.mean, bound.unit);
  check("median", errors.median, bound.median, bound.unit);
  check("p90", errors.p90, bound.p90, bound.unit);
  check("max", errors.max, bound.max, 1);
  return result;
}

}  // namespace metadist::published
