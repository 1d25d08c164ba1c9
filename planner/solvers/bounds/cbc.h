// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace metadist {

// min objective * x  subject to  lower <= A x <= upper, 0 <= x <= column upper, some x integer.
class LinearModel {
 public:
  // Returns the column's index. upper: infinity if >= 1e30.
  int AddColumn(double objective, double upper, bool integer);
  // Returns the row's index. Bounds beyond +-1e30 are infinite.
  int AddRow(double lower, double upper);
  void AddElement(int row, int column, double value);
  void AddToObjective(int column, double value) { objective_[column] += value; }

  int columns() const { return static_cast<int>(objective_.size()); }
  int rows() const { return static_cast<int>(row_lower_.size()); }

 private:
  friend struct CbcRun;
  struct Element {
    int row;
    int column;
    double value;
  };
  std::vector<double> objective_;
  std::vector<double> upper_;
  std::vector<int> integers_;
  std::vector<double> row_lower_;
  std::vector<double> row_upper_;
  std::vector<Element> elements_;
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

struct MipResult {
  enum class Status {
    kOptimal,     // proven within the gap
    kInfeasible,  // proven: no solution (below the cutoff)
    kStopped,     // by a limit or the interrupt, or CBC gave up
    kCrashed,     // CBC crashed twice
  };
  Status status = Status::kStopped;
  // Value per column; empty if no solution was found.
  std::vector<double> solution;
  double objective = 0;
  // <= the optimum (to CBC's tolerances), unless infeasible.
  double bound = -1e300;
  int64_t nodes = 0;
  // At least the limit if the limit stopped CBC.
  int64_t work = 0;
};

// Solves by CBC with one thread, in a process of its own (run_in_fork.h), or in this process if the
// system provides none. At least one column must be integer. The same model and options, without
// time limit and interrupt, give the same result. Limits and the interrupt take effect between two
// simplex iterations. Throws bad_alloc. Source: COIN-OR Cbc 2.10.
MipResult SolveMip(const LinearModel& model, const MipOptions& options);

}  // namespace metadist
