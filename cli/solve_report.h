// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/session.h"
#include "planner/solvers/minimum_peak.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/solver.h"

// The output of `solve`.
namespace metadist::cli {

// True if there is a choice; that of a problem without nodes is empty.
bool HasChoice(const SolveResult& result);

// The contents of `solve`'s report. Both output forms, and the error for an infeasible problem,
// print these fields and compute nothing.
struct SolveReport {
  std::string name;  // of the problem
  std::string solver;
  SolveResult result;            // its cost, peak and bound may mean nothing; these do:
  std::optional<int64_t> cost;   // of the choice; none without a choice
  std::optional<int64_t> peak;   // likewise
  std::optional<int64_t> bound;  // of the problem
  std::optional<double> gap;     // (cost - bound) / |cost|; none if it is not finite
  std::optional<int64_t> limit;

  // For an infeasible problem: a feasible limit, and a lower bound of all feasible limits; neither
  // if every choice takes a forbidden pair.
  std::optional<int64_t> working_limit;
  std::optional<int64_t> limit_bound;

  int64_t nodes = 0;
  int64_t edges = 0;
  int64_t entries = 0;
  double read_seconds = 0;
  double total_seconds = 0;
};

// Sets all but the solver's name and the times. smallest: for an infeasible problem, the smallest
// feasible limit, if it was found.
SolveReport SolveReportOf(const Problem& problem,
                          const SolveResult& result,
                          const std::optional<MinimumPeakResult>& smallest);

// The document of `metadist solve --json`, and the text form, which ends with the choice on a line
// of its own.
std::string SolveJson(const Session& session, const SolveReport& report);
std::string SolveText(const SolveReport& report);

// "limit 12" and "no limit".
std::string LimitText(const std::optional<int64_t>& limit);

// The document with one more key, whose value is given as text: for integers of 128 bits, which the
// library does not support, and lists on one line.
std::string TextWith(nlohmann::ordered_json document, const char* key, const std::string& value);

// "search: best 445, bound 441, gap 0.91 %".
std::string ProgressText(const SolveProgress& progress);

}  // namespace metadist::cli
