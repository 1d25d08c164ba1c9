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

// What CBC has not found, a bound or a solution, it reports as a number this large or larger.
constexpr double kCbcUnknown = 1e30;

// Looks at a running CBC from inside: counts its work, remembers its bound and stops it. CBC calls
// back after every simplex iteration (also those of presolve, cuts, heuristics and strong
// branching), every node and every heuristic.
class CbcWatch {
 public:
  // `options` must outlive the watch.
  explicit CbcWatch(const MipOptions& options);

  // To be passed to the model and its linear program, which clone them; the watch outlives both.
  std::unique_ptr<CbcEventHandler> CbcHandler();
  std::unique_ptr<ClpEventHandler> ClpHandler();

  // Whether CBC was told to stop: what it then claims to have proven is void, as linear programs
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
  // Every live handler, thus every live model.
  std::set<Cbc*> handlers_;
  bool stopped_ = false;
  // The search is over; what follows turns its best solution into one of the whole problem.
  bool ended_ = false;
  int64_t work_ = 0;
  double bound_ = -1e300;
};

}  // namespace metadist
