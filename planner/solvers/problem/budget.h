// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

#include "planner/solvers/problem/solve.h"

namespace metadist {

// The time and work that a run may still use. Solvers check it between steps; it never affects the
// order of their steps.
class Budget {
 public:
  // `options` must outlive the budget.
  explicit Budget(const SolveOptions& options);

  // A part of the same run with its own work count and an allowance of 0: the work of one of two
  // threads between two barriers. The clock and the interrupt are shared.
  Budget Part() const;
  // Sets the limit of a part to `units` above what it has used.
  void Allow(int64_t units);

  void AddWork(int64_t units) { work_ += units; }
  int64_t work() const { return work_; }
  double seconds() const;
  // Seconds left, at least 0; a day if there is no limit.
  double seconds_left() const;
  // Work units left, at least 0; int64 maximum if there is no limit.
  int64_t work_left() const;
  // Options without a progress callback for another run, limited to what is left of this one.
  SolveOptions Rest() const;
  // True once a limit is reached or the run is interrupted; remembers which.
  bool Spent();
  // "" or "time", "work", "interrupt".
  std::string_view stopped_by() const { return stopped_by_; }
  const SolveOptions& options() const { return *options_; }

 private:
  const SolveOptions* options_;
  std::chrono::steady_clock::time_point start_;
  int64_t work_ = 0;
  int64_t limit_ = std::numeric_limits<int64_t>::max();
  std::string_view stopped_by_;
};

}  // namespace metadist
