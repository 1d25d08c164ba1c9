// SPDX-License-Identifier: Apache-2.0
#include "planner/search/mesh_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "planner/lower/lower.h"
#include "planner/search/effort.h"
#include "planner/search/given_choice.h"
#include "planner/search/tightening.h"
#include "planner/solvers/minimum_peak.h"
#include "planner/solvers/problem/budget.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/space/expansion.h"

namespace metadist {
namespace {

int64_t Least(const std::vector<int64_t>& costs) {
  return *std::min_element(costs.begin(), costs.end());
}

int64_t SimpleBound(const Problem& problem) {
  std::map<CostMatrix, int64_t> known;  // many edges share few matrices
  int64_t bound = 0;
  for (const ProblemNode& node : problem.nodes)
    bound = std::min(bound + Least(node.costs), kForbidden);
  for (const ProblemEdge& edge : problem.edges) {
    const auto [at, added] = known.try_emplace(edge.costs, 0);
    if (added) at->second = Least(*edge.costs);
    bound = std::min(bound + at->second, kForbidden);
  }
  return bound;
}

bool IsBounded(const SolveResult& solved) {
  return solved.status == SolveStatus::kOptimal || solved.status == SolveStatus::kGap ||
         solved.status == SolveStatus::kNoPlan;
}

// Whether there is no choice because of a time limit or an interrupt.
bool EndedEarly(const SolveResult& solved) {
  return solved.status == SolveStatus::kNoPlan &&
         (solved.stopped_by == "time" || solved.stopped_by == "interrupt");
}

Error NoneInTime(std::string_view stopped_by) {
  if (stopped_by == "interrupt")
    return {ErrorCode::kInterrupted, "", "interrupted before any plan was found", "", {}};
  return {ErrorCode::kTimeLimit,
          "",
          "the time limit was reached before any plan was found",
          "give more time with --time-limit",
          {}};
}

double GapOf(const LoweredChoice& candidate) {
  return candidate.cost <= candidate.bound ? 0
                                           : static_cast<double>(candidate.cost - candidate.bound) /
                                                 static_cast<double>(candidate.cost);
}

}  // namespace

Result<std::unique_ptr<MeshPlanner>> MeshPlanner::Make(const PlanRequest& request,
                                                       const Cluster& cluster,
                                                       const Mesh& mesh) {
  std::unique_ptr<MeshPlanner> out(new MeshPlanner(request, cluster, mesh));
  FormulateRequest formulate;
  formulate.graph = request.graph;
  formulate.ops = request.ops;
  formulate.rule_of = [&](const Node& node) -> const Rule& {
    return request.rules->For(*request.graph, node);
  };
  formulate.inner_rules = [&](const Graph& graph, const Node& node) -> const Rule& {
    return request.rules->For(graph, node);
  };
  formulate.constraints = request.constraints;
  formulate.reduce_in = request.reduce_in;
  formulate.threads = request.mesh ? request.threads : 1;  // of several, each has a thread
  if (request.edge_costs != nullptr) formulate.costs = &request.edge_costs->Of(mesh, out->axes_);
  out->formulation_ = TRY(Formulate(formulate, out->routes_));
  if (auto valid = Validate(out->formulation_.problem); !valid.ok())
    return BadInput("",
                    fmt::format("too large to be planned: times are counted in picoseconds: {}",
                                valid.error().text()));
  TRY(out->Prepare(request.plan_template));
  return out;
}

Result<void> MeshPlanner::Prepare(const PlanTemplate& plan_template) {
  TRY(Restrict(plan_template, *request_.graph, mesh(), formulation_));
  simple_bound_ = SimpleBound(formulation_.problem);
  copies_.emplace(*request_.graph, mesh(), formulation_);
  return {};
}

Result<std::unique_ptr<MeshPlanner>> MeshPlanner::Restricted(
    const PlanTemplate& plan_template) const {
  std::unique_ptr<MeshPlanner> out(new MeshPlanner(request_, cluster(), mesh()));
  out->formulation_ = copies_->Uncounted();
  TRY(out->Prepare(plan_template));
  return out;
}

Result<LoweredChoice> MeshPlanner::LowerChoice(const Choice& choice) {
  LoweredChoice out;
  out.choice = choice;
  out.cost = static_cast<int64_t>(Evaluate(formulation_.problem, choice).cost);
  Expansion expanded = ExpandNodes(*request_.graph, formulation_.Decode(*request_.graph, choice));
  out.graph = std::move(expanded.graph);
  out.assignment = std::move(expanded.assignment);
  out.redistributions = RedistributionsOf(out.graph, out.assignment, routes_);
  out.program = TRY(Lower(out.graph, routes_.mesh(), out.assignment, out.redistributions));
  out.memory = MemoryOf(out.program, *request_.ops);
  return out;
}

Result<LoweredChoice> MeshPlanner::LowerSolved(const SolveResult& solved, int64_t bound) {
  LoweredChoice out = TRY(LowerChoice(solved.choice));
  out.bound = std::min(bound, out.cost);
  out.status = solved.status;
  out.stopped_by = std::string(solved.stopped_by);
  out.reduced = solved.reduced;
  out.deletions = solved.deletions;
  return out;
}

Problem MeshPlanner::ProblemOf(bool tied) const {
  Problem problem = formulation_.problem;
  if (!tied) problem.tied.clear();
  return problem;
}

int64_t MeshPlanner::edge_entries() const {
  int64_t entries = 0;
  for (const ProblemEdge& edge : formulation_.problem.edges)
    entries += static_cast<int64_t>(edge.costs->size());
  return entries;
}

// A lowered program may need more memory than its problem counts. First the copies that cause this
// are counted, and the problem is solved again under the same limit; what remains (from packing,
// and while values are converted) is handled by smaller limits. Bounds under the true limit hold
// whatever copies were counted.
Result<Attempt> MeshPlanner::Solve(std::optional<int64_t> limit_bytes,
                                   bool tied,
                                   const SolverDef& solver,
                                   const SolveOptions& options) {
  const Budget budget(options);
  SolveOptions own = options;
  Attempt attempt;
  attempt.bound = simple_bound_;
  Tightening limits(limit_bytes.value_or(kNothingFits - 1));
  int counting = 0;
  int64_t work = 0;
  for (auto limit = limits.Next(); limit; limit = limits.Next()) {
    Problem problem = ProblemOf(tied);
    if (limit_bytes) problem.usage_limit = limit;
    const bool true_limit = !limit_bytes || *limit == *limit_bytes;
    if (!own.initial.empty()) own.initial = copies_->Completed(own.initial);
    const SolveResult solved = TRY(solver.solve(problem, own));
    work += solved.work;
    if (options.work_limit > 0)
      own.work_limit = std::max(options.work_limit - work, 1 + options.work_limit / kLeastShare);
    if (options.time_limit_seconds > 0)
      own.time_limit_seconds = std::max(kLeastSeconds, budget.seconds_left());
    const bool bounded = IsBounded(solved);
    if (true_limit && bounded) attempt.bound = std::max(attempt.bound, solved.bound);
    if (true_limit && solved.status == SolveStatus::kInfeasible) attempt.bound = kNothingFits;
    const bool cut = own.cutoff && bounded && solved.bound >= *own.cutoff;
    if (EndedEarly(solved) && !cut) {
      if (attempt.candidate) break;
      return NoneInTime(solved.stopped_by);
    }
    if (!cut && !solved.stopped_by.empty()) attempt.stopped_by = solved.stopped_by;
    const bool none = solved.choice.empty() || cut;
    if (none && true_limit) return attempt;
    if (none || (attempt.candidate && solved.cost >= attempt.candidate->cost)) {
      limits.Settles();
      continue;
    }
    LoweredChoice out = TRY(LowerSolved(solved, attempt.bound));
    const int64_t peak = out.memory.peak_bytes();
    if (limit_bytes && peak > *limit_bytes) {
      if (counting++ < kMostCounting && copies_->Count(solved.choice, *limit_bytes)) continue;
      limits.Exceeds(solved.peak, peak - *limit_bytes);
      if (attempt.stopped_by.empty()) attempt.stopped_by = kLowering;
      continue;
    }
    limits.Settles();
    out.tied = tied && has_ties();
    out.usage_limit = problem.usage_limit;
    if (!bounded) out.bound = 0;
    if (bounded && !true_limit)
      out.status = out.bound == out.cost ? SolveStatus::kOptimal : SolveStatus::kGap;
    own.cutoff = out.cost;
    own.initial = out.choice;
    attempt.candidate = std::move(out);
    if (!bounded || GapOf(*attempt.candidate) <= options.gap) break;
  }
  if (attempt.candidate) attempt.bound = attempt.candidate->bound;
  return attempt;
}

Result<LoweredChoice> MeshPlanner::TakeChoice(const Choice& choice) {
  const Choice whole = copies_->Completed(choice);
  TRY(CheckAllowed(formulation_.problem, whole));
  LoweredChoice out = TRY(LowerChoice(whole));
  out.status = SolveStatus::kHeuristic;
  out.tied = has_ties() && KeepsTies(formulation_.problem, whole);
  return out;
}

Result<void> MeshPlanner::LowerLeastPeak(bool tied, const SolveOptions& options, LeastPeak& out) {
  const Budget budget(options);
  SolveOptions own = options;
  for (int round = 0; round < kMostCounting; ++round) {
    const MinimumPeakResult found = TRY(MinimumPeak(ProblemOf(tied), own));
    if (!found.feasible) return Internal("no strategy of some node fits its neighbours");
    if (!tied) out.bound = std::max(out.bound, found.bound);
    LoweredChoice lowered = TRY(LowerChoice(found.choice));
    lowered.status = SolveStatus::kHeuristic;
    lowered.tied = tied && has_ties();
    const int64_t peak = lowered.memory.peak_bytes();
    if (out.candidate.choice.empty() || peak < out.candidate.memory.peak_bytes())
      out.candidate = std::move(lowered);
    if (peak <= found.peak || !copies_->Count(found.choice, found.peak)) return {};
    if (options.time_limit_seconds > 0)
      own.time_limit_seconds = std::max(kLeastSeconds, budget.seconds_left());
  }
  return {};
}

Result<LeastPeak> MeshPlanner::FindLeastPeak(const SolveOptions& options) {
  copies_->Forget();
  LeastPeak out;
  TRY(LowerLeastPeak(/*tied=*/false, options, out));
  if (!has_ties()) return out;
  const auto alike = LowerLeastPeak(/*tied=*/true, options, out);
  if (!alike.ok() && alike.error().code == ErrorCode::kInterrupted) return alike.error();
  return out;
}

}  // namespace metadist
