// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <coin/CbcModel.hpp>
#include <coin/CbcSolver.hpp>
#include <coin/ClpMatrixBase.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinError.hpp>
#include <coin/OsiClpSolverInterface.hpp>
#include <string>
#include <utility>

#include "planner/solvers/bounds/cbc_run.h"
#include "planner/solvers/bounds/cbc_watch.h"

// Replaces Clp's own function, which the library calls through a symbol that a program may define.
// When a basis cannot be factorised, Clp 1.17.6 flags the variable that leaves it. In the first
// iteration there is none ("variable -1"), and Clp would write before its array.
void ClpSimplex::setFlagged(int sequence) {
  if (sequence < 0) return;
  constexpr unsigned char kFlagged = 64;
  constexpr int kToldMatrix = 7;
  status_[sequence] |= kFlagged;
  matrix_->generalExpanded(this, kToldMatrix, sequence);
  lastFlaggedIteration_ = numberIterations_;
}

namespace metadist {

namespace {

// With more columns, CBC only solves linear programs and branches. Its preparation of the whole
// program (probing for cuts, heuristics) takes minutes at that size, in loops without events, so
// that neither a limit nor Ctrl-C would stop it; and the linear program of a model's plan is often
// integral anyway.
constexpr int kMostForRoot = 20'000;

// CBC requires the elements column by column.
void LoadModel(const LinearModel& model, OsiSolverInterface& solver) {
  std::vector<CoinBigIndex> start(model.columns() + 1, 0);
  for (const auto& element : model.elements) ++start[element.column + 1];
  for (int c = 0; c < model.columns(); ++c) start[c + 1] += start[c];
  std::vector<int> index(model.elements.size());
  std::vector<double> value(model.elements.size());
  std::vector<CoinBigIndex> next(start.begin(), start.end() - 1);
  for (const auto& element : model.elements) {
    const CoinBigIndex at = next[element.column]++;
    index[at] = element.row;
    value[at] = element.value;
  }
  const std::vector<double> lower(model.columns(), 0);
  solver.loadProblem(model.columns(),
                     model.rows(),
                     start.data(),
                     index.data(),
                     value.data(),
                     lower.data(),
                     model.upper.data(),
                     model.objective.data(),
                     model.row_lower.data(),
                     model.row_upper.data());
  for (int column : model.integers) solver.setInteger(column);
}

std::vector<std::string> CbcArguments(int columns, const MipOptions& options, CbcEffort effort) {
  std::vector<std::string> out = {"metadist", "-log", "0", "-slog", "0", "-threads", "0"};
  auto set = [&](const char* name, std::string value) {
    out.emplace_back(name);
    out.push_back(std::move(value));
  };
  // Later than the watch's limit, whose bound is known to be valid.
  set("-timeMode", "elapsed");
  set("-sec", fmt::format("{:.3f}", options.seconds + 1));
  set("-ratioGap", "0");
  set("-allowableGap", fmt::format("{:.15g}", options.gap));
  // With a cutoff, CglPreProcess (2.10.8) fixes columns that better solutions need: a program
  // with 12 columns was declared infeasible. The plain LP presolve stays on.
  set("-preprocess", "off");
  if (effort == CbcEffort::kBranching || columns > kMostForRoot) {
    set("-cuts", "off");
    set("-heuristics", "off");
  }
  if (options.cutoff < 1e299) set("-cutoff", fmt::format("{:.15g}", options.cutoff));
  out.emplace_back("-solve");
  out.emplace_back("-quit");
  return out;
}

// Runs CBC's own driver: presolve, cuts, heuristics and search. False if CBC gave up.
bool RunDriver(CbcModel& cbc,
               CbcSolverUsefulData& data,
               const MipOptions& options,
               CbcEffort effort) {
  const std::vector<std::string> arguments = CbcArguments(cbc.getNumCols(), options, effort);
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  try {
    CbcMain1(static_cast<int>(argv.size()), argv.data(), cbc, nullptr, data);
  } catch (const CoinError&) {
    return false;
  }
  return true;
}

}  // namespace

MipResult RunCbc(const LinearModel& model, const MipOptions& options, CbcEffort effort) {
  CbcWatch watch(options);
  const OsiClpSolverInterface empty;
  CbcModel cbc(empty);
  CbcSolverUsefulData data;
  CbcMain0(cbc, data);
  data.useSignalHandler_ = false;
  cbc.setLogLevel(0);
  LoadModel(model, *cbc.solver());
  cbc.setPrintFrequency(1);  // how often the bound is updated
  cbc.passInEventHandler(watch.CbcHandler().get());
  auto& clp = dynamic_cast<OsiClpSolverInterface&>(*cbc.solver());
  clp.getModelPtr()->passInEventHandler(watch.ClpHandler().get());
  // Clp has a SIGINT handler of its own, which would end one linear program and hide the
  // interrupt from everything else.
  ClpSolve without_handler;
  without_handler.setSpecialOption(2, 1);
  clp.setSolveOptions(without_handler);
  const bool finished = RunDriver(cbc, data, options, effort);
  const bool trusted = finished && !watch.stopped();
  MipResult out;
  out.work = watch.work();
  const double bound = trusted ? cbc.getBestPossibleObjValue() : watch.bound();
  if (std::abs(bound) < kCbcUnknown) out.bound = bound;
  if (trusted && cbc.isProvenInfeasible()) {
    out.status = MipResult::Status::kInfeasible;
    return out;
  }
  const double* solution = finished ? cbc.bestSolution() : nullptr;
  if (solution == nullptr) return out;
  out.solution.assign(solution, solution + model.columns());
  out.objective = cbc.getObjValue();
  if (trusted && cbc.isProvenOptimal()) out.status = MipResult::Status::kOptimal;
  return out;
}

int LinearModel::AddColumn(double cost, double most, bool integer) {
  objective.push_back(cost);
  upper.push_back(most);
  if (integer) integers.push_back(columns() - 1);
  return columns() - 1;
}

int LinearModel::AddRow(double least, double most) {
  row_lower.push_back(least);
  row_upper.push_back(most);
  return rows() - 1;
}

}  // namespace metadist
