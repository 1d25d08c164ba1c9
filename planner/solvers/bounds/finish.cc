// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/bounds/finish.h"

#include <algorithm>
#include <cmath>

#include "planner/solvers/bounds/memory_profile.h"

namespace metadist {

// Reduction and pruning leave a problem that is small but still hard for bounds alone: a gap of
// some tenths of a percent that only enumeration closes. CBC solves the marginalised program
// (marginal.h) with the known cost as cutoff. Of thousands of times only a few bind, so memory rows
// are added lazily: first the times with the highest prices, which nearly always include the
// binding ones, then the peaks of every solution that does not fit. A missing row costs a whole
// run, hence the initial rows.
//
// A proof here depends on CBC's tolerances (about 1e-9 relative). It is the only proof among the
// solvers that is not in integer arithmetic; results report this.

namespace {

constexpr size_t kDearestTimes = 60;

}  // namespace

Finish::Finish(const Reduced& reduced,
               const std::vector<double>& prices,
               const std::set<int>& times)
    : reduced_(reduced), program_(reduced, MarginalProgram::Objective::kCost, 1) {
  std::vector<int> dear;
  for (size_t t = 0; t < prices.size(); ++t) {
    if (prices[t] > 0) dear.push_back(static_cast<int>(t));
  }
  std::stable_sort(dear.begin(), dear.end(), [&](int a, int b) { return prices[a] > prices[b]; });
  if (dear.size() > kDearestTimes) dear.resize(kDearestTimes);
  for (int t : dear) program_.AddTime(t);
  for (int t : times) program_.AddTime(t);
}

bool Finish::AddViolated(const Choice& choice) {
  if (!reduced_.limit) return true;
  const std::vector<int> peaks = ViolatedPeaks(UsageOf(reduced_, choice), *reduced_.limit);
  bool added = false;
  for (int t : peaks) added |= program_.AddTime(t);
  if (!added && !peaks.empty()) program_.AddCover(choice, peaks.front());
  return peaks.empty();
}

FinishResult Finish::Run(int64_t upper, double gap, int64_t work, Budget& budget) {
  FinishResult out;
  const double unit = program_.objective_unit();
  const double shift =
      static_cast<double>(program_.offset()) + static_cast<double>(reduced_.constant);
  const int64_t end = work > kInfinite - budget.work() ? kInfinite : budget.work() + work;
  while (!budget.Spent() && budget.work() < end) {
    MipOptions options;
    options.seconds = budget.seconds_left();
    options.work = std::min(budget.work_left(), end - budget.work());
    options.interrupted = budget.options().interrupted;
    options.gap = gap / unit;
    if (upper < kInfinite) options.cutoff = (static_cast<double>(upper) - 0.5 - shift) / unit;
    const MipResult answer = SolveMip(program_.model(), options);
    budget.AddWork(answer.work);
    if (answer.status == MipResult::Status::kInfeasible) {
      out.status = FinishResult::Status::kInfeasible;
      return out;
    }
    const double proven = answer.bound * unit + shift;
    const double margin = 1e-6 * (std::abs(proven - shift) + unit) + 1;
    if (std::abs(proven) < 1e18) {
      out.bound = std::max(out.bound, static_cast<int64_t>(std::floor(proven - margin)));
    }
    if (answer.status == MipResult::Status::kCrashed) out.status = FinishResult::Status::kCrashed;
    if (answer.solution.empty()) return out;
    Choice choice = program_.Read(answer.solution);
    if (!AddViolated(choice)) continue;
    out.choice = std::move(choice);
    if (answer.status == MipResult::Status::kOptimal) out.status = FinishResult::Status::kOptimal;
    return out;
  }
  return out;
}

}  // namespace metadist
