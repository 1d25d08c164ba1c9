// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_job.h"
#include "cli/run_outcome.h"
#include "cli/session.h"

namespace metadist::cli {

// The contents of `run`'s report. Both output forms print these fields and compute nothing.
struct RunReport {
  std::string name;
  int64_t ranks = 1;
  std::string mesh;
  std::string backend;
  // The cluster of a plan for devices other than CPU ranks: it runs here only as a check, and its
  // predictions are for another machine. "": not such a plan.
  std::string elsewhere;

  struct Check {
    bool passed = true;
    std::vector<std::string> equal_to;  // "one device", a file
    std::vector<std::string> differs_from;
    double max_abs_error = 0;
    double max_rel_error = 0;
    Tolerance tolerance;
    double roundings_move = 0;  // for the output that they move most
    std::string compared_with;  // "one device and FILE"
  };
  std::optional<Check> check;  // none if nothing was compared

  double median_seconds = 0;
  double p10_seconds = 0;
  double p90_seconds = 0;
  double quiet_seconds = 0;
  double min_seconds = 0;
  int64_t iterations = 0;
  std::optional<double> predicted_seconds;

  int64_t peak_bytes = 0;
  std::optional<int64_t> predicted_peak_bytes;

  struct Regression {
    std::string file;
    double max_regress = 0;
    bool passed = true;
  };
  std::optional<Regression> baseline;

  // By output of one float, its values at the steps that were compared: a loss curve.
  std::vector<std::pair<std::string, std::vector<double>>> scalars;

  bool overlaps = false;                // collectives of the plan may run beside its nodes
  std::optional<OverlapTimes> overlap;  // how they did
  OverlapTimes predicted_overlap;

  std::map<std::string, CollectiveCount> collectives;
  std::vector<std::string> reference_kernels;
};

RunReport RunReportOf(const RunFlags& flags, const Job& job, const RunOutcome& outcome);

// The JSON document of `metadist run --json`, with its documented keys, and the text form.
nlohmann::ordered_json RunJson(const Session& session, const RunReport& report);
std::string RunText(const RunReport& report);

}  // namespace metadist::cli
