// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "metair/ir/check.h"

namespace metadist {

#define SOLVER(constant) extern const SolverDef constant;
#include "planner/solvers/solvers.def"
#undef SOLVER

namespace {

#define SOLVER(constant) &constant,
constexpr const SolverDef* kSolvers[] = {
#include "planner/solvers/solvers.def"
};
#undef SOLVER

}  // namespace

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

std::span<const SolverDef* const> Solvers() { return kSolvers; }

const SolverDef* FindSolver(std::string_view name) {
  for (const SolverDef* solver : kSolvers) {
    if (solver->name == name) return solver;
  }
  return nullptr;
}

const SolverDef& DefaultSolver() {
  const auto* const found =
      std::find_if(std::begin(kSolvers), std::end(kSolvers), [](const SolverDef* solver) {
        return solver->is_default;
      });
  CHECK(found != std::end(kSolvers), "one solver is the default");
  return **found;
}

std::string SolverNames() {
  std::string names;
  for (const SolverDef* solver : kSolvers)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", solver->name);
  return names;
}

}  // namespace metadist
