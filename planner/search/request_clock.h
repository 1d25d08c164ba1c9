// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "planner/search/plan_request.h"
#include "planner/solvers/solver.h"

namespace metadist {

// The time of a request since it began: its limit, its interrupt, and who is told of its progress.
class RequestClock {
 public:
  // The request must outlive it.
  explicit RequestClock(const PlanRequest& request);
  RequestClock(const RequestClock&) = delete;
  RequestClock& operator=(const RequestClock&) = delete;

  bool Interrupted() const;
  // Infinite without a time limit.
  double SecondsLeft() const;
  // Whether a time limit or an interrupt ends what is not necessary.
  bool Over() const;

  void Report(std::string_view phase, std::string detail) const;

  // The request's options for one solution. detail: what is solved, for the lines of progress.
  // share: of the time left.
  SolveOptions Options(int64_t work_limit, const std::string& detail, double share = 1) const;
  // The work limit of one mesh; 0, none, where there is a time limit.
  int64_t SolveWork() const;

 private:
  const PlanRequest& request_;
  const std::chrono::steady_clock::time_point start_;
};

}  // namespace metadist
