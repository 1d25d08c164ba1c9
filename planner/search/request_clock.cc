// SPDX-License-Identifier: Apache-2.0
#include "planner/search/request_clock.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "planner/search/effort.h"

namespace metadist {

RequestClock::RequestClock(const PlanRequest& request)
    : request_(request), start_(std::chrono::steady_clock::now()) {}

bool RequestClock::Interrupted() const {
  return request_.interrupted != nullptr && request_.interrupted->load();
}

double RequestClock::SecondsLeft() const {
  if (request_.time_limit_seconds <= 0) return std::numeric_limits<double>::infinity();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  return request_.time_limit_seconds - spent.count();
}

bool RequestClock::Over() const { return Interrupted() || SecondsLeft() <= 0; }

void RequestClock::Report(std::string_view phase, std::string detail) const {
  if (request_.progress) request_.progress({phase, std::move(detail)});
}

SolveOptions RequestClock::Options(int64_t work_limit,
                                   const std::string& detail,
                                   double share) const {
  SolveOptions options;
  options.seed = request_.seed;
  options.gap = request_.gap;
  options.threads = request_.threads;
  options.work_limit = work_limit;
  options.interrupted = request_.interrupted;
  if (request_.time_limit_seconds > 0)
    options.time_limit_seconds = std::max(0.01, share * SecondsLeft());
  Report("solve", detail);
  if (!request_.progress) return options;
  options.progress = [this, detail](const SolveProgress& at) {
    PlanProgress progress{"solve", detail};
    progress.has_plan = at.has_choice;
    progress.cost_seconds = static_cast<double>(at.cost) * 1e-12;
    progress.has_bound = at.bound > 0;
    progress.bound_seconds = static_cast<double>(at.bound) * 1e-12;
    progress.deletions = at.deletions;
    request_.progress(progress);
  };
  return options;
}

int64_t RequestClock::SolveWork() const { return request_.time_limit_seconds > 0 ? 0 : kSolveWork; }

}  // namespace metadist
