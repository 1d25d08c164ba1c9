// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace metadist {

// min objective * x  subject to  lower <= A x <= upper, 0 <= x <= column upper, some x integer.
struct LinearModel {
  struct Element {
    int row;
    int column;
    double value;
  };
  // Per column.
  std::vector<double> objective;
  std::vector<double> upper;
  // Columns.
  std::vector<int> integers;
  // Per row.
  std::vector<double> row_lower;
  std::vector<double> row_upper;
  std::vector<Element> elements;

  // Returns the column's index. most: infinity if >= 1e30.
  int AddColumn(double cost, double most, bool integer);
  // Returns the row's index. Bounds beyond +-1e30 are infinite.
  int AddRow(double least, double most);
  void AddElement(int row, int column, double value) { elements.push_back({row, column, value}); }

  int columns() const { return static_cast<int>(objective.size()); }
  int rows() const { return static_cast<int>(row_lower.size()); }
};

struct MipOptions {
  double seconds = 86400;
  // Work units (solve.h), reproducible; 0: no limit.
  int64_t work = 0;
  // Polled; nullptr: never.
  const std::atomic<bool>* interrupted = nullptr;
  // Only solutions below this are of interest; >= 1e299: all.
  double cutoff = 1e300;
  // Absolute gap, in units of the objective, at which to stop.
  double gap = 0;
};

// What SolveMip found, except the solution.
struct MipOutcome {
  enum class Status {
    kOptimal,     // proven within the gap
    kInfeasible,  // proven: no solution (below the cutoff)
    kStopped,     // by a limit or the interrupt, or CBC gave up
    kCrashed,     // CBC crashed twice
  };
  Status status = Status::kStopped;
  double objective = 0;
  // <= the optimum (to CBC's tolerances), unless infeasible.
  double bound = -1e300;
  // At least the limit if the limit stopped CBC.
  int64_t work = 0;
};

struct MipResult : MipOutcome {
  // Value per column; empty if no solution was found.
  std::vector<double> solution;
};

// Solves by CBC with one thread, in a process of its own (run_in_fork.h), or in this process if the
// system provides none. At least one column must be integer. The same model and options, without
// time limit and interrupt, give the same result. Limits and the interrupt take effect between two
// simplex iterations. Throws bad_alloc. Source: COIN-OR Cbc 2.10.
MipResult SolveMip(const LinearModel& model, const MipOptions& options);

}  // namespace metadist
