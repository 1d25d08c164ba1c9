// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/solve.h"

#include <fmt/format.h>

#include <iterator>

#include "metair/ir/check.h"

namespace metadist {

std::string_view SolveStatusName(SolveStatus status) {
  constexpr std::string_view kNames[] = {"optimal", "gap", "heuristic", "infeasible", "no plan"};
  const auto index = static_cast<size_t>(status);
  CHECK(index < std::size(kNames), "unknown solve status");
  return kNames[index];
}

std::string StopText(std::string_view stopped_by) {
  if (stopped_by.empty()) return "";
  if (stopped_by == "crash") return ", because CBC crashed";
  if (stopped_by == "time" || stopped_by == "work")
    return fmt::format(", stopped by the {} limit", stopped_by);
  return fmt::format(", stopped by {}", stopped_by);
}

}  // namespace metadist
