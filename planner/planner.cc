// SPDX-License-Identifier: Apache-2.0
// Planning, from a graph and a cluster to a plan:
//
//   discover    the rules of the graph's operators
//   formulate   one problem per mesh
//   solve       without a limit first; under the limit only if that program does not fit.
//               Repeated layers share their decisions, then the best mesh is improved with all
//               layers free, from that incumbent and within a work limit.
//   lower       the choice becomes a program, whose peak must observe the limit
//
// If no choice under the limit is found, programs of least peak and of decreasing budgets are
// searched: the cheapest that fits is the plan, and otherwise the smallest budget is named in the
// error.
#include "planner/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "metair/ir/check.h"
#include "planner/search/alternatives.h"
#include "planner/search/effort.h"
#include "planner/search/least_memory.h"
#include "planner/search/mesh_search.h"
#include "planner/search/mesh_set.h"
#include "planner/search/plan_of_choice.h"
#include "planner/search/request_clock.h"
#include "planner/search/solver_report.h"
#include "planner/search/stopwatch.h"

namespace metadist {
namespace {

// The requested solver.
Result<const SolverDef*> Check(const PlanRequest& request) {
  std::vector<Error> problems;
  const int64_t devices = request.cluster.devices();
  if (request.mesh && request.mesh->ranks() != devices)
    problems.push_back(Usage(fmt::format("mesh {} has {} ranks, cluster {} has {} devices",
                                         MeshText(*request.mesh),
                                         request.mesh->ranks(),
                                         request.cluster.name,
                                         devices),
                             "the axes of --mesh must multiply out to the cluster's devices"));
  const SolverDef* solver = FindSolver(request.solver);
  if (solver == nullptr)
    problems.push_back(Usage(
        fmt::format("unknown solver '{}', expected one of: {}", request.solver, SolverNames())));
  if (!problems.empty()) return Join(std::move(problems));
  return solver;
}

void Discover(const PlanRequest& request, const RequestClock& clock, PhaseSeconds& seconds) {
  const Stopwatch watch(seconds.discover);
  clock.Report("discover", "");
  request.rules->Discover(*request.graph);
}

Result<MeshSet> FormulateAll(const PlanRequest& request,
                             const RequestClock& clock,
                             PhaseSeconds& seconds) {
  const Stopwatch watch(seconds.formulate);
  return MeshSet::Make(request, clock);
}

// The result of a search.
struct Searched {
  BestPlan best;
  std::vector<TemplateChoice> templates;
  BestPlan free;  // the best without a limit; no mesh if that was not searched
};

Result<Searched> TakeGiven(const SearchSetting& setting) {
  CHECK(setting.meshes.size() == 1, "a given choice is one of a given mesh");
  MeshPlanner& planner = setting.meshes.at(0);
  const Choice choice = TRY(setting.request.choose(planner.formulation().problem));
  LoweredChoice given = TRY(planner.TakeChoice(choice));
  const int64_t peak = given.memory.peak_bytes();
  if (peak <= setting.limit_bytes) return Searched{{0, std::move(given)}, {}, {}};
  return Error{ErrorCode::kInfeasible,
               "",
               fmt::format("the program of this choice needs {} bytes per device, the limit is {}",
                           peak,
                           setting.limit_bytes),
               fmt::format("give `--memory {}`", peak),
               {}};
}

// First without the limit, then under it if the result does not fit.
Result<Searched> FreeFirst(const SearchSetting& setting) {
  MeshSearch search(setting);
  Searched out;
  out.free = TRY(search.Cheapest(std::nullopt, /*tied=*/true, kFreeShare));
  out.best = out.free;
  if (!out.free.mesh || out.free.candidate.memory.peak_bytes() <= setting.limit_bytes) return out;
  const bool ties = setting.meshes.has_ties();
  out.best = TRY(search.Cheapest(setting.limit_bytes, /*tied=*/true, ties ? kTiedShare : 1));
  if (!out.best.mesh && ties) out.best = TRY(search.Cheapest(setting.limit_bytes, /*tied=*/false));
  return out;
}

void Take(const SearchSetting& setting, const TemplateChoice& one, BestPlan& best) {
  best = {one.mesh, one.candidate};
  LoweredChoice& candidate = best.candidate;
  candidate.bound = std::min(setting.meshes.BoundOf(one.mesh, candidate.tied), candidate.cost);
  candidate.status = candidate.bound == candidate.cost ? SolveStatus::kOptimal : SolveStatus::kGap;
}

// Solves the templates on the mesh to search, on that of the best plan, or on the most promising
// one. One that is cheaper than the best plan becomes it.
void AddTemplates(const SearchSetting& setting, PhaseSeconds& seconds, Searched& found) {
  if (!setting.request.alternatives) return;
  const Stopwatch part(seconds.alternatives);
  const MeshSet& meshes = setting.meshes;
  const size_t promising = found.best.mesh.value_or(meshes.BestFirst(/*tied=*/true)[0]);
  const size_t mesh = meshes.searched().value_or(promising);
  found.templates = TryTemplates(setting, mesh);
  if (!setting.solver.optimizes) return;
  for (const TemplateChoice& one : found.templates) {
    if (!one.fits || (found.best.mesh && one.candidate.cost >= found.best.candidate.cost)) continue;
    Take(setting, one, found.best);
  }
}

// Of the best plan and the templates, that with the shortest step: bundling, which the problem does
// not know, may gain more for a template.
Result<Plan> ShortestStep(const SearchSetting& setting, Searched& found) {
  Plan plan = TRY(PlanOfChoice(setting, found.best));
  if (!setting.solver.optimizes || setting.request.choose) return plan;
  const TemplateChoice* shortest = nullptr;
  double seconds = plan.prediction.step.seconds;
  for (const TemplateChoice& one : found.templates) {
    if (!one.fits || one.prediction.step.seconds >= seconds) continue;
    shortest = &one;
    seconds = one.prediction.step.seconds;
  }
  if (shortest == nullptr) return plan;
  Take(setting, *shortest, found.best);
  return PlanOfChoice(setting, found.best);
}

Result<Searched> Search(const SearchSetting& setting, PhaseSeconds& seconds) {
  const Stopwatch watch(seconds.solve);
  MeshSearch search(setting);
  Searched out;
  if (setting.solver.optimizes)
    out = TRY(FreeFirst(setting));
  else
    out.best = TRY(search.Cheapest(setting.limit_bytes, /*tied=*/false));
  AddTemplates(setting, seconds, out);
  const bool squeezed = !out.best.mesh;
  if (squeezed && !setting.request.finds_least)
    return Error{ErrorCode::kInfeasible, "", "no plan was found that fits", "", {}};
  if (squeezed) out.best = TRY(SmallestThatFits(setting, out.free));
  if (setting.solver.optimizes && (squeezed || out.best.candidate.tied)) {
    const Stopwatch part(seconds.improve);
    search.Improve(out.best);
  }
  return out;
}

// The problem in which the best plan was found.
Problem ProblemOf(const SearchSetting& setting, const BestPlan& best) {
  const MeshPlanner& planner = setting.meshes.at(*best.mesh);
  Problem problem = planner.formulation().problem;
  if (!best.candidate.tied) problem.tied.clear();
  problem.usage_limit = best.candidate.usage_limit.value_or(setting.limit_bytes);
  problem.name = fmt::format("{} on {}, mesh {}",
                             setting.request.origin.model_path,
                             setting.request.cluster.name,
                             MeshText(planner.mesh()));
  return problem;
}

Result<void> Finish(const SearchSetting& setting, Searched found, Planned& out) {
  const RequestClock& clock = setting.clock;
  out.squeezed = found.free.mesh && found.free.candidate.cost < found.best.candidate.cost;
  {
    const Stopwatch watch(out.seconds.lower);
    clock.Report("lower", "");
    out.plan = TRY(ShortestStep(setting, found));
  }
  out.plan.solver = ReportOf(setting, found.best);
  if (setting.request.keep_problem) out.problem = ProblemOf(setting, found.best);
  if (setting.request.alternatives && !clock.Interrupted()) {
    const Stopwatch watch(out.seconds.solve);
    const Stopwatch part(out.seconds.alternatives);
    out.plan.alternatives = AlternativesTo(out.plan, setting, found.templates, found.free);
  }
  out.interrupted = clock.Interrupted();
  return {};
}

}  // namespace

Result<Planned> MakePlan(const PlanRequest& request) {
  const RequestClock clock(request);
  const SolverDef* solver = TRY(Check(request));
  Planned out;
  Discover(request, clock, out.seconds);
  MeshSet meshes = TRY(FormulateAll(request, clock, out.seconds));
  out.routes = meshes.effort();
  const SearchSetting setting{request,
                              clock,
                              *solver,
                              request.memory_limit_bytes.value_or(request.cluster.usable_bytes()),
                              meshes};
  Searched found = TRY(request.choose ? TakeGiven(setting) : Search(setting, out.seconds));
  TRY(Finish(setting, std::move(found), out));
  return out;
}

}  // namespace metadist
