// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "planner/search/plan_request.h"
#include "planner/solvers/solver.h"

namespace metadist {

// The time since a request began: its limit, its interrupt, and its progress reports.
class RequestClock {
 public:
  // The request must outlive the object.
  explicit RequestClock(const PlanRequest& request);
  RequestClock(const RequestClock&) = delete;
  RequestClock& operator=(const RequestClock&) = delete;

  bool Interrupted() const;
  // Infinite without a time limit.
  double SecondsLeft() const;
  // Whether a time limit or an interrupt stops optional work.
  bool Over() const;

  void Report(std::string_view phase, std::string detail) const;

  // The request's options for one solution. detail: what is solved, for progress output. share: of
  // the remaining time.
  SolveOptions Options(int64_t work_limit, const std::string& detail, double share = 1) const;
  // The work limit of one mesh; 0 (none) if there is a time limit.
  int64_t SolveWork() const;

 private:
  const PlanRequest& request_;
  const std::chrono::steady_clock::time_point start_;
};

}  // namespace metadist
