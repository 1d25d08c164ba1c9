// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "planner/solvers/solver.h"

namespace metadist {

// What a run may still use. Solvers ask between steps; the order of their steps never depends on
// it.
class Budget {
 public:
  // `options` must outlive the budget.
  explicit Budget(const SolveOptions& options);

  void AddWork(int64_t units) { work_ += units; }
  int64_t work() const { return work_; }
  double seconds() const;
  // Seconds left, at least 0; a day if there is no limit.
  double seconds_left() const;
  // Work units left, at least 0; int64 maximum if there is no limit.
  int64_t work_left() const;
  // True once a limit is reached or the run is interrupted; remembers which.
  bool Spent();
  // "" or "time", "work", "interrupt".
  std::string_view stopped_by() const { return stopped_by_; }

 private:
  const SolveOptions& options_;
  std::chrono::steady_clock::time_point start_;
  int64_t work_ = 0;
  std::string_view stopped_by_;
};

}  // namespace metadist
