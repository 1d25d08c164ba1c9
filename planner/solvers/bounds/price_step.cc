// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/price_step.h"

#include <algorithm>

#include "planner/solvers/bounds/memory_profile.h"

namespace metadist {

PriceStep::PriceStep(const Reduced& reduced)
    : limit_(reduced.limit.value_or(0)), direction_(reduced.base.size(), 0) {}

bool PriceStep::Move(const std::vector<int64_t>& usage,
                     double forget,
                     double reach,
                     std::vector<double>& prices) {
  const double unit = static_cast<double>(std::max<int64_t>(1, limit_));
  std::vector<double> gradient(usage.size(), 0);
  for (size_t t = 0; t < usage.size(); ++t) {
    if (prices[t] > 0) gradient[t] = static_cast<double>(usage[t] - limit_) / unit;
  }
  for (int t : ViolatedPeaks(usage, limit_)) {
    gradient[t] = static_cast<double>(usage[t] - limit_) / unit;
  }
  double norm = 0;
  for (size_t t = 0; t < usage.size(); ++t) {
    direction_[t] += forget * (gradient[t] - direction_[t]);
    if (prices[t] <= 0 && direction_[t] < 0) direction_[t] = 0;
    norm += direction_[t] * direction_[t];
  }
  if (norm <= 0) return false;
  const double length = reach / norm;
  for (size_t t = 0; t < usage.size(); ++t) {
    prices[t] = std::max(0.0, prices[t] + length * direction_[t] / unit);
  }
  return true;
}

}  // namespace metadist
