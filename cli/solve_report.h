// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/session.h"
#include "planner/solvers/minimum_peak.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/solver.h"

// What `solve` prints.
namespace metadist::cli {

// A problem, and what came of solving it.
struct Solved {
  const Problem* problem = nullptr;
  std::string solver;
  SolveResult result;
  // For an infeasible problem: the smallest limit that works, if it was found.
  std::optional<MinimumPeakResult> smallest;
  double read_seconds = 0;
  double total_seconds = 0;
};

// Whether there is a choice; that of a problem without nodes is empty.
bool HasChoice(const SolveResult& result);

// The document of `metadist solve --json`, and the same for people; the text ends with the choice
// on a line of its own.
std::string SolveJson(const Session& session, const Solved& solved);
std::string SolveText(const Solved& solved);

// "search: best 445, bound 441, gap 0.91 %".
std::string ProgressText(const SolveProgress& progress);

// The answer of `solve --check`: what a given choice is worth. Costs beyond 64 bits stand as they
// are in the JSON text.
std::string CheckJson(const Session& session, const Problem& problem, const Choice& choice);
std::string CheckText(const Problem& problem, const Choice& choice);

}  // namespace metadist::cli
