// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <coin/CbcEventHandler.hpp>
#include <coin/ClpEventHandler.hpp>
#include <cstdint>
#include <memory>
#include <set>

#include "planner/solvers/bounds/cbc.h"

namespace metadist {

// CBC reports a bound or solution that it has not found as a number at least this large.
constexpr double kCbcUnknown = 1e30;

// Observes a running CBC: counts its work, remembers its bound and stops it. CBC calls back after
// every simplex iteration (also in presolve, cuts, heuristics and strong branching), every node and
// every heuristic.
class CbcWatch {
 public:
  // `options` must outlive the watch.
  explicit CbcWatch(const MipOptions& options);

  // Handlers for the model and its linear program, which clone them; the watch must outlive both.
  std::unique_ptr<CbcEventHandler> CbcHandler();
  std::unique_ptr<ClpEventHandler> ClpHandler();

  // True if CBC was stopped. Its later claims of proof are invalid then, because linear programs
  // were cut short.
  bool stopped() const { return stopped_; }
  int64_t work() const { return work_; }
  // The last bound before the stop; -1e300 if there was none.
  double bound() const { return bound_; }

 private:
  class Cbc;
  class Clp;

  void AddEvent(int64_t columns_and_rows);
  bool Stop();
  void Remember(const CbcModel& model);

  const MipOptions& options_;
  const std::chrono::steady_clock::time_point deadline_;
  // All live handlers, one per live model.
  std::set<Cbc*> handlers_;
  bool stopped_ = false;
  // The search is over; afterwards CBC maps its best solution back to the whole problem.
  bool ended_ = false;
  int64_t work_ = 0;
  double bound_ = -1e300;
};

}  // namespace metadist
