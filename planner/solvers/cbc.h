// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace metadist {

// min objective x  subject to  lower <= A x <= upper, 0 <= x <= column upper, some x integer.
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
  // Branch-and-bound nodes; 0: no limit.
  int64_t nodes = 0;
  // Only solutions below this are of interest; >= 1e299: all.
  double cutoff = 1e300;
  // Absolute gap, in units of the objective, at which to stop.
  double gap = 0;
};

struct MipResult {
  enum class Status {
    kOptimal,     // proven within the gap
    kInfeasible,  // proven: no solution (below the cutoff)
    kStopped,     // by a limit, or CBC gave up
  };
  Status status = Status::kStopped;
  // Values per column; empty if none was found.
  std::vector<double> solution;
  double objective = 0;
  // <= the optimum (to CBC's tolerances), unless infeasible.
  double bound = -1e300;
  int64_t nodes = 0;
};

// Solves by CBC with one thread. Same model and options without a time limit: same result.
// Source: COIN-OR Cbc 2.10, C interface.
MipResult SolveMip(const LinearModel& model, const MipOptions& options);

// Work units (solver.h) of a run over a marginalised program of so many entries, by measurement:
// the first relaxation with its cuts, then so many nodes.
int64_t MipWork(int64_t entries, int64_t nodes);
// Nodes that `work` units pay for; 0 if not even the first relaxation, which cannot be cut short.
int64_t AffordableNodes(int64_t entries, int64_t work);

}  // namespace metadist
