// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/budget.h"

#include <algorithm>

namespace metadist {

namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

}  // namespace

Budget::Budget(const SolveOptions& options)
    : options_(&options),
      start_(std::chrono::steady_clock::now()),
      limit_(options.work_limit > 0 ? options.work_limit : kNoLimit) {}

Budget Budget::Part() const {
  Budget out = *this;
  out.work_ = 0;
  out.limit_ = 0;
  out.stopped_by_ = {};
  return out;
}

void Budget::Allow(int64_t units) {
  limit_ = units > kNoLimit - work_ ? kNoLimit : work_ + units;
  if (stopped_by_ == "work") stopped_by_ = {};
}

double Budget::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Budget::seconds_left() const {
  if (options_->time_limit_seconds <= 0) return 86400;
  return std::max(0.0, options_->time_limit_seconds - seconds());
}

int64_t Budget::work_left() const {
  return limit_ == kNoLimit ? kNoLimit : std::max<int64_t>(0, limit_ - work_);
}

SolveOptions Budget::Rest() const {
  SolveOptions out = *options_;
  out.progress = nullptr;
  // 0 would mean no limit.
  if (out.time_limit_seconds > 0) out.time_limit_seconds = std::max(0.01, seconds_left());
  if (out.work_limit > 0) out.work_limit = std::max<int64_t>(1, work_left());
  return out;
}

bool Budget::Spent() {
  if (!stopped_by_.empty()) return true;
  if (options_->interrupted && options_->interrupted->load()) {
    stopped_by_ = "interrupt";
  } else if (work_left() == 0) {
    stopped_by_ = "work";
  } else if (seconds_left() <= 0) {
    stopped_by_ = "time";
  }
  return !stopped_by_.empty();
}

}  // namespace metadist
