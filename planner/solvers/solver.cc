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
