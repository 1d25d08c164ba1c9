// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/solve.h"

#include <fmt/format.h>

#include "metair/ir/check.h"

namespace metadist {

std::string_view SolveStatusName(SolveStatus status) {
  switch (status) {
    case SolveStatus::kOptimal:
      return "optimal";
    case SolveStatus::kGap:
      return "gap";
    case SolveStatus::kHeuristic:
      return "heuristic";
    case SolveStatus::kInfeasible:
      return "infeasible";
    case SolveStatus::kNoPlan:
      return "no plan";
  }
  CHECK(false, "unknown solve status");
}

std::string StopText(std::string_view stopped_by) {
  if (stopped_by.empty()) return "";
  if (stopped_by == "crash") return ", because CBC crashed";
  if (stopped_by == "time" || stopped_by == "work")
    return fmt::format(", stopped by the {} limit", stopped_by);
  return fmt::format(", stopped by {}", stopped_by);
}

}  // namespace metadist
