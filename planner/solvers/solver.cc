// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string>

#include "metair/ir/check.h"
namespace metadist {

namespace {

#define SOLVER(constant) &constant,
constexpr const SolverDef* kSolvers[] = {
#include "planner/solvers/solvers.def"
};
#undef SOLVER

}  // namespace

std::span<const SolverDef* const> Solvers() { return kSolvers; }

const SolverDef* FindSolver(std::string_view name) {
  const auto* const found = std::ranges::find(kSolvers, name, &SolverDef::name);
  return found == std::end(kSolvers) ? nullptr : *found;
}

const SolverDef& DefaultSolver() {
  const auto* const found = std::ranges::find_if(kSolvers, &SolverDef::is_default);
  CHECK(found != std::end(kSolvers), "one solver is the default");
  return **found;
}

std::string SolverNames() {
  return fmt::format("{}", fmt::join(std::views::transform(kSolvers, &SolverDef::name), ", "));
}

}  // namespace metadist
