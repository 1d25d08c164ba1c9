// SPDX-License-Identifier: Apache-2.0
//
// How many blocks to compute again. The more blocks there are, the more time they take and the less
// memory they need, which is worth something as long as the limit binds. So the time falls to some
// number of blocks and rises from there on: nothing, everything and points between are planned, at
// every turn one beside the best so far, until the points around it are close. Points between are
// planned on the mesh of the best so far and to within 0.3 %; the best of them as was asked.
#include "planner/recomputing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "metair/training/forward_blocks.h"
#include "metair/training/recompute.h"
#include "planner/planner.h"
#include "planner/search/request_clock.h"

namespace metadist {
namespace {

constexpr int64_t kFinest = 16;  // part of all blocks
constexpr double kLeastSeconds = 1e-3;
constexpr double kTrialGap = 0.003;

class BlockSearch {
 public:
  explicit BlockSearch(const PlanRequest& request)
      : request_(request),
        clock_(request),
        all_(static_cast<int64_t>(ForwardBlocks(*request.graph).size())) {}

  Result<RecomputingPlan> Run() {
    auto whole = PlanOf(request_, 0);
    if (all_ == 0 || IsEnough(whole) || clock_.Over()) return Done(std::move(whole), 0);
    tried_.emplace(0, std::move(whole));
    Try(all_);
    for (int64_t next = Next(); next >= 0 && !clock_.Over(); next = Next()) Try(next);
    const int64_t best = Best();
    if (best == 0 || clock_.Over()) return Done(std::move(tried_.at(best)), best);
    return Done(Better(PlanOf(request_, best), std::move(tried_.at(best))), best);
  }

 private:
  // Whether nothing can be won by less memory.
  static bool IsEnough(const Result<Planned>& planned) {
    if (!planned.ok()) return planned.error().code != ErrorCode::kInfeasible;
    return !planned.value().squeezed || planned.value().interrupted;
  }

  // What plans are compared by: what the solver minimises, or the step with overlap.
  double CostOf(const Result<Planned>& planned) const {
    const Plan& plan = planned.value().plan;
    return request_.overlap ? plan.prediction.step.seconds : static_cast<double>(plan.solver.cost);
  }

  // The thorough plan, unless a limit of time left it dearer than the one that was compared.
  Result<Planned> Better(Result<Planned> thorough, Result<Planned> compared) const {
    if (!thorough.ok()) return compared.ok() ? std::move(compared) : std::move(thorough);
    if (!compared.ok() || CostOf(thorough) <= CostOf(compared)) return thorough;
    // What was proven thoroughly holds for both.
    Planned& better = compared.value();
    SolverReport report = std::move(thorough.value().plan.solver);
    report.cost = better.plan.solver.cost;
    report.bound = std::min(report.bound, report.cost);
    report.free_bound = std::min(report.free_bound, report.cost);
    report.gap = report.cost == 0 ? 0
                                  : static_cast<double>(report.cost - report.bound) /
                                        static_cast<double>(report.cost);
    better.plan.solver = std::move(report);
    better.plan.alternatives = std::move(thorough.value().plan.alternatives);
    better.problem = std::move(thorough.value().problem);
    return compared;
  }

  Result<Planned> PlanOf(PlanRequest request, int64_t blocks) {
    const Graph step = Recomputed(*request_.graph, blocks);
    request.graph = &step;
    // Of no recomputation the smallest budget is of interest only if there is nothing else.
    request.finds_least = request.finds_least && (blocks > 0 || all_ == 0);
    if (request.time_limit_seconds > 0)
      request.time_limit_seconds = std::max(kLeastSeconds, clock_.SecondsLeft());
    if (blocks > 0 && request_.progress)
      request.progress = [&](PlanProgress p) {
        p.detail = fmt::format(
            "{}{}recompute {} of {} blocks", p.detail, p.detail.empty() ? "" : ", ", blocks, all_);
        request_.progress(p);
      };
    return MakePlan(request);
  }

  // Plans well enough to compare.
  void Try(int64_t blocks) {
    PlanRequest request = request_;
    request.alternatives = false;
    request.keep_problem = false;
    request.finds_least = false;
    request.gap = std::max(request.gap, kTrialGap);
    const Result<Planned>& best = tried_.at(Best());
    if (!request.mesh && best.ok()) request.mesh = best.value().plan.mesh;
    tried_.emplace(blocks, PlanOf(request, blocks));
  }

  // The cheapest; without any plan, all blocks, which need the least memory.
  int64_t Best() const {
    const auto worse = [&](const auto& a, const auto& b) {
      if (a.second.ok() != b.second.ok()) return b.second.ok();
      if (!a.second.ok()) return a.first < b.first;
      return CostOf(a.second) > CostOf(b.second);
    };
    return std::ranges::max_element(tried_, worse)->first;
  }

  // What to try next, -1 if nothing: the middle between the best and a neighbour.
  int64_t Next() const {
    const int64_t best = Best();
    if (!tried_.at(best).ok()) return -1;  // not even all blocks are enough
    const auto at = tried_.find(best);
    const int64_t below = at == tried_.begin() ? best : std::prev(at)->first;
    const int64_t above = std::next(at) == tried_.end() ? best : std::next(at)->first;
    const bool down = best - below >= above - best;
    const int64_t gap = down ? best - below : above - best;
    if (gap <= std::max<int64_t>(1, all_ / kFinest)) return -1;
    return down ? best - gap / 2 : best + gap / 2;
  }

  // The rows of what was tried beside it.
  std::vector<Alternative> Rows(int64_t chosen) const {
    std::vector<Alternative> rows;
    for (const auto& [blocks, planned] : tried_) {
      if (blocks == chosen) continue;
      const std::string name =
          blocks == 0 ? "no recomputation" : fmt::format("recompute {} of {} blocks", blocks, all_);
      if (!planned.ok()) {
        rows.push_back({.name = name, .note = "no plan fits"});
        continue;
      }
      const Plan& plan = planned.value().plan;
      const Prediction& p = plan.prediction;
      rows.push_back({name, p.step.seconds, p.overlap.step_seconds, plan.peak_bytes(), true, ""});
    }
    return rows;
  }

  Result<RecomputingPlan> Done(Result<Planned> planned, int64_t blocks) {
    RecomputingPlan out{TRY(std::move(planned)), blocks, {}};
    if (blocks > 0) out.step = Recomputed(*request_.graph, blocks);
    if (!request_.alternatives) return out;
    std::vector<Alternative>& rows = out.planned.plan.alternatives;
    std::ranges::move(Rows(blocks), std::back_inserter(rows));
    return out;
  }

  const PlanRequest& request_;
  const RequestClock clock_;
  const int64_t all_;                         // blocks
  std::map<int64_t, Result<Planned>> tried_;  // by number of blocks
};

}  // namespace

Result<RecomputingPlan> PlanRecomputing(const PlanRequest& request) {
  return BlockSearch(request).Run();
}

}  // namespace metadist
