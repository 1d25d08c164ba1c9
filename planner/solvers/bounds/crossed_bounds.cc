// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/crossed_bounds.h"

#include <algorithm>
#include <coin/CbcModel.hpp>
#include <coin/OsiCuts.hpp>
#include <coin/OsiSolverInterface.hpp>
#include <optional>
#include <vector>

// A cut generator (CglProbing 0.60) may report an infeasible node by a lower bound above an upper
// one, for example [1, -1e50]. CBC 2.10.8 overlooks this if a bound of another column follows, and
// solves the linear program with crossed bounds. Clp 1.17.6 then finds a solution nevertheless, or
// aborts the process by an assertion. An infeasible row with a finite bound expresses the same and
// is handled correctly by both.

namespace metadist {

namespace {

constexpr double kTolerance = 1e-6;
const double kUnbounded = COIN_DBL_MAX;

void Tighten(const OsiColCut& cut, std::vector<double>& lower, std::vector<double>& upper) {
  for (int i = 0; i < cut.lbs().getNumElements(); ++i) {
    double& bound = lower[cut.lbs().getIndices()[i]];
    bound = std::max(bound, cut.lbs().getElements()[i]);
  }
  for (int i = 0; i < cut.ubs().getNumElements(); ++i) {
    double& bound = upper[cut.ubs().getIndices()[i]];
    bound = std::min(bound, cut.ubs().getElements()[i]);
  }
}

std::optional<int> Crossed(const OsiSolverInterface& program, const OsiCuts& cuts) {
  const int columns = program.getNumCols();
  std::vector<double> lower(program.getColLower(), program.getColLower() + columns);
  std::vector<double> upper(program.getColUpper(), program.getColUpper() + columns);
  for (int i = 0; i < cuts.sizeColCuts(); ++i) Tighten(*cuts.colCutPtr(i), lower, upper);
  for (int c = 0; c < columns; ++c) {
    if (lower[c] > upper[c] + kTolerance) return c;
  }
  return std::nullopt;
}

}  // namespace

void ReplaceCrossedBounds(const CbcModel& model, OsiCuts& cuts) {
  if (cuts.sizeColCuts() == 0) return;
  const OsiSolverInterface& program = *model.solver();
  const std::optional<int> column = Crossed(program, cuts);
  if (!column) return;
  while (cuts.sizeColCuts() > 0) cuts.eraseColCut(cuts.sizeColCuts() - 1);
  const double one = 1;
  OsiRowCut none;
  none.setRow(1, &*column, &one);
  const double lower = program.getColLower()[*column];
  const bool below = lower > -kUnbounded;
  none.setLb(below ? -kUnbounded : program.getColUpper()[*column] + 1);
  none.setUb(below ? lower - 1 : kUnbounded);
  cuts.insert(none);
}

}  // namespace metadist
