// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/route_check.h"
#include "cli/route_ends.h"
#include "cli/session.h"

namespace metadist::cli {

// A redistribution as planned and, with --run, as executed.
struct RouteResult {
  RouteEnds ends;
  PlannedRoute route;
  double planning_seconds = 0;
  std::optional<RouteCheck> check;
};

// The contents of `redistribute`'s report. Both output forms print these fields and compute
// nothing. Elements and bytes are per rank.
struct RouteReport {
  // The source or target sharding of the moved array.
  struct End {
    std::string sharding;
    Shape local;  // on the rank with the most
    int64_t elements = 0;
    int64_t bytes = 0;
    double imbalance = 1;  // most true elements of a rank divided by the mean
    double waste = 0;      // padding as a share of the ranks' elements
  };
  struct Step {
    CollectiveKind kind = CollectiveKind::kSlice;
    std::vector<size_t>
        dims;  // dims whose placement changes; for an all-to-all, the gathered one first
    std::vector<std::string> axes;
    int64_t group = 1;  // ranks
    std::string to;
    int64_t elements = 0;
    int64_t received = 0;
    std::optional<double> predicted_seconds;
    std::optional<double> measured_seconds;
  };

  std::string mesh;
  int64_t ranks = 1;
  TensorType type;
  Shape moved_shape;  // of `type`, or padded
  std::string algo;
  End from;
  End to;
  std::vector<Step> steps;
  int64_t peak_elements = 0;
  int64_t bound_elements = 0;  // of the larger end
  int64_t both_elements = 0;
  int64_t received_elements = 0;
  int64_t received_bytes = 0;
  double planning_seconds = 0;
  std::optional<double> predicted_seconds;
  double predicted_band = 0;
  std::optional<double> measured_seconds;
  std::optional<RouteCheck> check;
  std::string picture;  // blocks before and after; "" if there are too many

  bool bound_kept() const { return peak_elements <= bound_elements; }
};

RouteReport RouteReportOf(const RouteResult& result);

// The JSON document of `metadist redistribute --json`, with its documented keys, and the text form.
nlohmann::ordered_json RouteJson(const Session& session, const RouteReport& report);
std::string RouteText(const RouteReport& report);

}  // namespace metadist::cli
