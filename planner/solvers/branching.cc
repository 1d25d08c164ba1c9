// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/branching.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "planner/solvers/bounds/finish.h"

namespace metadist {

// Search and pruning often leave a problem that CBC solves at once, and often one that it does not
// solve in hours; the size predicts little. So branch and bound gets as much work as everything
// before it took: if that is not enough, at most half of the time was lost. It is tried again when
// the total work has grown by an eighth.
//
// The problem left for choices below the known cost may be much larger than the one for choices
// just above the bound, where the optimum often is. So a cost near the bound is guessed, and the
// problem is reduced to choices of at most that cost. If there is one, the best of them is the
// optimum; if there is none, the bound rises to the guess, and the next guess is twice as far away.

namespace {

constexpr int64_t kLeastWork = 2 * kWorkPerSecond;
// A problem of at most kEasyEntries is tried without a guess, one above kMostWholeEntries not at
// all.
constexpr int64_t kEasyEntries = 3'000;
constexpr int64_t kMostWholeEntries = 60'000;

}  // namespace

bool Branching::Try(Search& search) {
  const int64_t done = out_.budget().work();
  if (done < ended_at_ + ended_at_ / 8) return false;
  const int64_t work = std::max(kLeastWork, done);
  const auto bound = static_cast<double>(out_.bound());
  const double guess = bound + guess_ * std::max(1.0, std::abs(bound));
  const bool far = guess < 0.5 * (static_cast<double>(out_.upper()) + bound);
  if (far && search.entries() > kEasyEntries) {
    return TryBelow(search, static_cast<int64_t>(guess), work);
  }
  return search.entries() <= kMostWholeEntries && TryWhole(search, work);
}

bool Branching::TryBelow(Search& search, int64_t most, int64_t work) {
  const std::optional<ReducedAgain> again = search.Below(most);
  ended_at_ = out_.budget().work();
  if (!again || again->reduced.counts().entries > kMostWholeEntries) return false;
  const Reduced& left = again->reduced;
  FinishResult answer{FinishResult::Status::kInfeasible, {}, 0};
  if (!left.infeasible) {
    Finish finish(left, MoveToKept(search.prices(), *again), MoveTimes(search.times(), *again));
    answer = finish.Run(most + 1, /*gap=*/0, work, out_.budget());
    ended_at_ = out_.budget().work();
    out_.SetByTolerance();
  }
  if (!answer.choice.empty()) {
    const Choice choice = left.Expand(answer.choice);
    out_.Take(choice);
    search.Offer(choice);
  }
  if (answer.status == FinishResult::Status::kInfeasible) {
    out_.RaiseBound(most + 1);
    guess_ *= 2;
    ended_at_ = 0;
  } else if (answer.status == FinishResult::Status::kOptimal) {
    out_.RaiseBound(out_.cost());
  } else {
    out_.RaiseBound(std::min(answer.bound, most + 1));
  }
  if (answer.status == FinishResult::Status::kCrashed) out_.SetStop("crash");
  return out_.Done();
}

bool Branching::TryWhole(Search& search, int64_t work) {
  Finish finish(search.reduced(), search.prices(), search.times());
  const int64_t wanted = out_.upper();
  const double gap = out_.wanted_gap();
  FinishResult answer = finish.Run(wanted, gap, work, out_.budget());
  search.times() = finish.times();
  ended_at_ = out_.budget().work();
  if (!answer.choice.empty()) {
    out_.Take(search.reduced().Expand(answer.choice));
    search.Take(answer.choice);
  }
  if (answer.status == FinishResult::Status::kInfeasible) {
    SettleNothingBelow(wanted, gap);
    return true;
  }
  if (answer.status == FinishResult::Status::kCrashed) out_.SetStop("crash");
  const bool settled = answer.status == FinishResult::Status::kOptimal;
  const int64_t bound = settled && gap == 0 ? out_.cost() : answer.bound;
  if (bound > out_.bound()) out_.SetByTolerance();
  out_.RaiseBound(bound);
  if (settled && gap > 0) out_.SetStop("gap");
  return settled || out_.Done();
}

void Branching::SettleNothingBelow(int64_t wanted, double gap) {
  if (wanted >= kInfinite) {
    out_.SetInfeasible();
    return;
  }
  out_.SetByTolerance();
  out_.RaiseBound(wanted - static_cast<int64_t>(std::ceil(gap)));
  if (gap > 0) out_.SetStop("gap");
  out_.CutOff();
}

}  // namespace metadist
