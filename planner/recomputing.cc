// SPDX-License-Identifier: Apache-2.0
//
// How many blocks to compute again. The more blocks there are, the more time they take and the less
// memory they need, which is worth something as long as the limit binds. So the time falls to some
// number of blocks and rises from there on: nothing, everything and points between are planned, at
// every turn one beside the best so far, until the points around it are close. Points between are
// planned on the mesh of the best so far and to within 0.3 %; the best of them as was asked.
//
// A template has other memory and so another number of blocks: each that would be faster than the
// best without a limit is searched by itself. If one is faster under the limit, too, its number of
// blocks is planned as was asked, on its mesh.
#include "planner/recomputing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "metair/training/forward_blocks.h"
#include "metair/training/recompute.h"
#include "planner/planner.h"
#include "planner/search/alternatives.h"
#include "planner/search/meshes.h"
#include "planner/search/request_clock.h"

namespace metadist {
namespace {

constexpr int64_t kFinest = 16;  // part of all blocks
constexpr double kLeastSeconds = 1e-3;
constexpr double kTrialGap = 0.003;
// Of a time limit: for finding out whether blocks are to be computed again at all, for searching
// without templates, and for the plan in the end.
constexpr double kFirstShare = 0.25;
constexpr double kSearchShare = 0.5;
constexpr double kFinalShare = 0.25;

class BlockSearch {
 public:
  explicit BlockSearch(const PlanRequest& request)
      : request_(request),
        clock_(request),
        all_(static_cast<int64_t>(ForwardBlocks(*request.graph).size())) {}

  Result<RecomputingPlan> Run() {
    const double limit = request_.time_limit_seconds;
    const bool templates = request_.alternatives && request_.plan_template.free();
    reserved_seconds_ = templates ? (1 - kSearchShare) * limit : 0;
    Search();
    for (const auto& [blocks, planned] : tried_)
      rows_.emplace(blocks, RowOf(NameOf("", blocks), planned));
    const int64_t best = Best();
    reserved_seconds_ = templates ? kFinalShare * limit : 0;
    if (templates && tried_.size() > 1) TryTemplates();
    reserved_seconds_ = 0;
    if (clock_.Over() && rival_) return Done(std::move(rival_->planned), rival_->blocks);
    if (clock_.Over()) return Done(std::move(tried_.at(best)), best);
    if (!rival_) return Done(Thorough(best), best);
    PlanRequest request = request_;
    request.searched_mesh = rival_->planned.plan.mesh;
    auto planned = PlanOf(request, rival_->blocks);
    return Done(Better(std::move(planned), std::move(rival_->planned)), rival_->blocks);
  }

 private:
  // A plan by a template that is faster than the best without one.
  struct Rival {
    int64_t blocks = 0;
    Planned planned;
  };

  void Search() {
    TryNone();
    if (all_ == 0 || IsEnough(tried_.at(0)) || clock_.Over()) return;
    Try(all_);
    for (int64_t next = Next(); next >= 0 && !Over(); next = Next()) Try(next);
  }

  // Plans without recomputation: as was asked if that is enough. Within a time limit a trial tells
  // whether it is.
  void TryNone() {
    const double limit = request_.time_limit_seconds;
    none_as_asked_ = all_ == 0 || limit <= 0;
    if (!none_as_asked_) {
      const double reserved = std::exchange(reserved_seconds_, (1 - kFirstShare) * limit);
      tried_.emplace(0, PlanOf(ForTrials(request_), 0));
      reserved_seconds_ = reserved;
      if (!IsEnough(tried_.at(0)) || clock_.Over()) return;
      none_as_asked_ = true;
    }
    const double reserved = std::exchange(reserved_seconds_, 0);
    Result<Planned> asked = PlanOf(request_, 0);
    reserved_seconds_ = reserved;
    const auto tried = tried_.find(0);
    if (tried != tried_.end()) asked = Better(std::move(asked), std::move(tried->second));
    tried_.insert_or_assign(0, std::move(asked));
  }

  // Whether no time is left but what is reserved for later.
  bool Over() const { return clock_.Over() || clock_.SecondsLeft() <= reserved_seconds_; }

  // Of a time limit, for the next plan.
  double SecondsToUse() const {
    return std::max(kLeastSeconds, clock_.SecondsLeft() - reserved_seconds_);
  }

  // A template, and the mesh if it names axes.
  struct Template {
    NamedTemplate named;
    std::optional<Mesh> mesh;
  };

  // Those of two axes first: they are planned on one mesh.
  std::vector<Template> Templates() const {
    std::vector<Template> out;
    for (const Mesh& mesh :
         request_.mesh ? std::vector{*request_.mesh} : MeshesFor(request_.cluster))
      for (const NamedTemplate& named : TemplatesFor(request_, mesh))
        if (!ParseTemplate(named.second).value().axes.empty()) out.push_back({named, mesh});
    for (const NamedTemplate& named : TemplatesFor(request_, Mesh{}))
      out.push_back({named, request_.mesh});
    return out;
  }

  // Searches the number of blocks of every template that could be faster than the best, on the mesh
  // on which it is fastest.
  void TryTemplates() {
    double least = LeastCost();
    for (const auto& [named, mesh] : Templates()) {
      if (Over()) return;
      PlanRequest request = ForTrials(request_);
      request.plan_template = ParseTemplate(named.second).value();
      request.mesh = mesh;
      PlanRequest unlimited = request;
      unlimited.memory_limit_bytes = std::numeric_limits<int64_t>::max() / 2;
      const Result<Planned> fastest = PlanOf(unlimited, 0);
      if (!fastest.ok() || CostOf(fastest) >= least || Over()) continue;
      request.mesh = fastest.value().plan.mesh;
      if (request.time_limit_seconds > 0) request.time_limit_seconds = SecondsToUse();
      BlockSearch own(request);
      own.Search();
      const int64_t blocks = own.Best();
      Result<Planned>& planned = own.tried_.at(blocks);
      if (!planned.ok()) continue;
      template_rows_.push_back(RowOf(NameOf(named.first, blocks), planned));
      if (CostOf(planned) >= least) continue;
      least = CostOf(planned);
      rival_ = Rival{blocks, std::move(planned).value()};
      Unprove(rival_->planned.plan.solver);
    }
  }

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

  // Of the best that was tried without templates; infinite if nothing fits.
  double LeastCost() const {
    const Result<Planned>& best = tried_.at(Best());
    return best.ok() ? CostOf(best) : std::numeric_limits<double>::infinity();
  }

  // What is proven of a template's plans does not hold for all.
  static void Unprove(SolverReport& report) {
    report.status = SolveStatusName(SolveStatus::kHeuristic);
    report.problem = kLayersFree;
    report.bound = report.free_bound = 0;
    report.gap = 0;
    report.stopped_by.clear();
  }

  // The plan as was asked.
  Result<Planned> Thorough(int64_t blocks) {
    Result<Planned>& compared = tried_.at(blocks);
    if (blocks == 0 && none_as_asked_) return std::move(compared);
    return Better(PlanOf(request_, blocks), std::move(compared));
  }

  // The thorough plan, unless a limit of time or what the solver does not price (bundles, overlap)
  // left it dearer than the one that was compared.
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
    if (report.bound < report.cost && report.status == SolveStatusName(SolveStatus::kOptimal))
      report.status = SolveStatusName(SolveStatus::kGap);
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
    if (request.time_limit_seconds > 0) request.time_limit_seconds = SecondsToUse();
    if (blocks > 0 && request_.progress)
      request.progress = [&](PlanProgress p) {
        p.detail = fmt::format(
            "{}{}recompute {} of {} blocks", p.detail, p.detail.empty() ? "" : ", ", blocks, all_);
        request_.progress(p);
      };
    return MakePlan(request);
  }

  // Good enough to compare.
  static PlanRequest ForTrials(PlanRequest request) {
    request.alternatives = false;
    request.keep_problem = false;
    request.finds_least = false;
    request.gap = std::max(request.gap, kTrialGap);
    return request;
  }

  void Try(int64_t blocks) {
    PlanRequest request = ForTrials(request_);
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

  std::string NameOf(const std::string& name, int64_t blocks) const {
    const std::string again =
        blocks == 0 ? "no recomputation" : fmt::format("recompute {} of {} blocks", blocks, all_);
    return name.empty() ? again : name + ", " + again;
  }

  static Alternative RowOf(std::string name, const Result<Planned>& planned) {
    if (!planned.ok()) return {.name = std::move(name), .note = "no plan fits"};
    const Plan& plan = planned.value().plan;
    const Prediction& p = plan.prediction;
    return {std::move(name), p.step.seconds, p.overlap.step_seconds, plan.peak_bytes(), true, ""};
  }

  Result<RecomputingPlan> Done(Result<Planned> planned, int64_t blocks) {
    RecomputingPlan out{TRY(std::move(planned)), blocks, {}};
    if (blocks > 0) out.step = Recomputed(*request_.graph, blocks);
    out.planned.interrupted = out.planned.interrupted || clock_.Interrupted();
    if (!request_.alternatives) return out;
    std::vector<Alternative>& rows = out.planned.plan.alternatives;
    for (auto& [tried, row] : rows_)
      if (tried != blocks) rows.push_back(std::move(row));
    std::ranges::move(template_rows_, std::back_inserter(rows));
    return out;
  }

  const PlanRequest& request_;
  const RequestClock clock_;
  const int64_t all_;                         // blocks
  std::map<int64_t, Result<Planned>> tried_;  // by number of blocks
  bool none_as_asked_ = false;                // tried_.at(0) is not for comparison only
  std::map<int64_t, Alternative> rows_;       // likewise
  std::vector<Alternative> template_rows_;
  std::optional<Rival> rival_;
  double reserved_seconds_ = 0;  // of the time limit, for what comes later
};

}  // namespace

Result<RecomputingPlan> PlanRecomputing(const PlanRequest& request) {
  EdgeCostsOfMeshes edge_costs;
  PlanRequest sharing = request;
  sharing.edge_costs = &edge_costs;
  return BlockSearch(sharing).Run();
}

}  // namespace metadist
