// SPDX-License-Identifier: Apache-2.0
#include "planner/mesh_planner.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "planner/lower/lower.h"
#include "planner/solvers/evaluate.h"
#include "planner/solvers/minimum_peak.h"
#include "planner/space/expansion.h"

namespace metadist {
namespace {

// A lowered program exceeds what the problem counted by copies and packing; few rounds suffice.
constexpr int kTightenings = 6;

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

}  // namespace

Result<std::unique_ptr<MeshPlanner>> MeshPlanner::Make(const PlanRequest& request,
                                                       const Cluster& cluster,
                                                       const Mesh& mesh,
                                                       PlanTemplate plan_template) {
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
  formulate.plan_template = plan_template;
  out->formulation_ = TRY(Formulate(formulate, out->routes_));
  TRY(Validate(out->formulation_.problem));
  out->simple_bound_ = SimpleBound(out->formulation_.problem);
  return out;
}

Result<Candidate> MeshPlanner::LowerChoice(const Choice& choice) {
  Candidate out;
  out.choice = choice;
  out.cost = static_cast<int64_t>(Evaluate(formulation_.problem, choice).cost);
  Expanded expanded = ExpandNodes(*request_.graph, formulation_.Decode(*request_.graph, choice));
  out.graph = std::move(expanded.graph);
  out.assignment = std::move(expanded.assignment);
  out.redistributions = RedistributionsOf(out.graph, out.assignment, routes_);
  out.program = TRY(Lower(out.graph, routes_.mesh(), out.assignment, out.redistributions));
  out.memory = MemoryOf(out.program, *request_.ops);
  return out;
}

Result<Attempt> MeshPlanner::Solve(std::optional<int64_t> limit_bytes,
                                   bool tied,
                                   const SolverDef& solver,
                                   const SolveOptions& options) {
  Problem problem = formulation_.problem;
  if (!tied) problem.tied.clear();
  problem.usage_limit = limit_bytes;
  Attempt attempt;
  attempt.bound = simple_bound_;
  for (int round = 0; round <= kTightenings; ++round) {
    const SolveResult solved = TRY(solver.solve(problem, options));
    const bool bounded = solved.status == SolveStatus::kOptimal ||
                         solved.status == SolveStatus::kGap ||
                         solved.status == SolveStatus::kNoPlan;
    // Tightened limits are no limits of the request: only the first round's bound counts.
    if (round == 0 && bounded) attempt.bound = std::max(attempt.bound, solved.bound);
    if (round == 0 && solved.status == SolveStatus::kInfeasible) attempt.bound = kNothingFits;
    if (options.cutoff && bounded && solved.bound >= *options.cutoff) return attempt;
    if (solved.status == SolveStatus::kNoPlan && solved.stopped_by != "work") {
      const bool interrupted = solved.stopped_by == "interrupt";
      return Error{interrupted ? ErrorCode::kInterrupted : ErrorCode::kTimeLimit,
                   "",
                   interrupted ? "interrupted before any plan was found"
                               : "the time limit came before any plan was found",
                   interrupted ? "" : "give more time with --time-limit",
                   {}};
    }
    if (solved.choice.empty()) return attempt;
    Candidate out = TRY(LowerChoice(solved.choice));
    out.bound = bounded ? std::min(attempt.bound, out.cost) : 0;
    out.status = solved.status;
    if (bounded && round > 0)
      out.status = out.bound == out.cost ? SolveStatus::kOptimal : SolveStatus::kGap;
    out.stopped_by = std::string(solved.stopped_by);
    out.tied = tied && has_ties();
    if (!limit_bytes || out.memory.peak_bytes() <= *limit_bytes) {
      attempt.bound = out.bound;
      attempt.candidate = std::move(out);
      return attempt;
    }
    const int64_t excess = out.memory.peak_bytes() - *limit_bytes;
    problem.usage_limit = std::min(*problem.usage_limit, solved.peak) - excess;
    if (*problem.usage_limit <= 0) break;
  }
  return attempt;
}

Result<LeastPeak> MeshPlanner::FindLeastPeak(const SolveOptions& options) {
  Problem free = formulation_.problem;
  free.tied.clear();
  const MinimumPeakResult whole = TRY(MinimumPeak(free, options));
  if (!whole.feasible) return Internal("no strategy of some node fits its neighbours");
  LeastPeak out{TRY(LowerChoice(whole.choice)), whole.bound};
  out.candidate.status = SolveStatus::kHeuristic;
  if (!has_ties()) return out;
  const MinimumPeakResult alike = TRY(MinimumPeak(formulation_.problem, options));
  if (!alike.feasible) return out;
  Candidate tied = TRY(LowerChoice(alike.choice));
  tied.status = SolveStatus::kHeuristic;
  tied.tied = true;
  if (tied.memory.peak_bytes() < out.candidate.memory.peak_bytes()) out.candidate = std::move(tied);
  return out;
}

}  // namespace metadist
