// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/budget.h"

#include <algorithm>
#include <limits>

namespace metadist {

Budget::Budget(const SolveOptions& options)
    : options_(options), start_(std::chrono::steady_clock::now()) {}

double Budget::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Budget::seconds_left() const {
  if (options_.time_limit_seconds <= 0) return 86400;
  return std::max(0.0, options_.time_limit_seconds - seconds());
}

int64_t Budget::work_left() const {
  if (options_.work_limit <= 0) return std::numeric_limits<int64_t>::max();
  return std::max<int64_t>(0, options_.work_limit - work_);
}

bool Budget::Spent() {
  if (!stopped_by_.empty()) return true;
  if (options_.interrupted && options_.interrupted->load()) {
    stopped_by_ = "interrupt";
  } else if (work_left() == 0) {
    stopped_by_ = "work";
  } else if (seconds_left() <= 0) {
    stopped_by_ = "time";
  }
  return !stopped_by_.empty();
}

}  // namespace metadist
