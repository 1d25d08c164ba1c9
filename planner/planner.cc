// SPDX-License-Identifier: Apache-2.0
// Planning, from a graph and a cluster to a plan:
//
//   discover    the rules of the graph's operators
//   formulate   one problem per mesh
//   solve       without a limit first; only where that program does not fit, under the limit.
//               Repeated layers share their decisions, then the best mesh is improved with all
//               layers free, from that incumbent and within a work limit.
//   lower       the choice becomes a program, whose peak is what the limit is held against
//
// Where no choice under the limit is found, the programs of least peak decide, and those of ever
// smaller budgets: the smallest of them is the plan if it fits, and otherwise the budget that the
// error names.
#include "planner/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "metair/ir/parallel.h"
#include "metair/ir/suggest.h"
#include "planner/lower/bundles.h"
#include "planner/mesh_planner.h"

namespace metadist {
namespace {

// Work units for improving a plan of alike layers with all layers free.
constexpr int64_t kImproveWork = 50'000'000;
// Problems with more edge entries are not solved with all layers free.
constexpr int64_t kImproveEntries = 10'000'000;
// For least-peak searches, and for each budget tried after them.
constexpr int64_t kLeastPeakWork = 100'000'000;
constexpr int64_t kShrinkWork = 50'000'000;
constexpr int kShrinkSteps = 8;
// For one mesh under a limit, unless a time limit is given: branch and bound could go on for hours.
constexpr int64_t kSolveWork = 60 * kWorkPerSecond;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Adds the time from its making to its end to `total`.
class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total), start_(Now()) {}
  ~Stopwatch() { total_ += Now() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& total_;
  double start_;
};

// The best so far, and on which mesh.
struct Best {
  MeshPlanner* where = nullptr;
  Candidate candidate;
  int64_t bound = 0;  // over all meshes
};

class Planner {
 public:
  explicit Planner(const PlanRequest& request) : request_(request), start_(Now()) {}

  Result<Planned> Run() {
    TRY(Check());
    limit_ = request_.memory_limit_bytes.value_or(request_.cluster.usable_bytes());
    Report("discover", "");
    {
      const Stopwatch watch(planned_.seconds.discover);
      request_.rules->Discover(*request_.graph);
    }
    TRY(FormulateAll());
    Best best =
        TRY(solver_->name == "random" ? SolveAll(limit_, /*tied=*/false) : SolveFreeFirst());
    if (best.where == nullptr) best = TRY(SmallestThatFits());
    if (best.candidate.tied && solver_->name != "random") Improve(best);
    TRY(Finish(best));
    return std::move(planned_);
  }

 private:
  Result<void> Check() {
    std::vector<Error> problems;
    const int64_t devices = request_.cluster.devices();
    if (request_.mesh && request_.mesh->ranks() != devices)
      problems.push_back(Usage(fmt::format("mesh {} has {} ranks, cluster {} has {} devices",
                                           MeshText(*request_.mesh),
                                           request_.mesh->ranks(),
                                           request_.cluster.name,
                                           devices),
                               "the axes of --mesh must multiply out to the cluster's devices"));
    solver_ = FindSolver(request_.solver);
    if (solver_ == nullptr) {
      std::string names;
      for (const SolverDef* def : Solvers())
        names += fmt::format("{}{}", names.empty() ? "" : ", ", def->name);
      problems.push_back(
          Usage(fmt::format("unknown solver '{}', expected one of: {}", request_.solver, names)));
    }
    if (!problems.empty()) return Join(std::move(problems));
    return {};
  }

  bool Interrupted() const {
    return request_.interrupted != nullptr && request_.interrupted->load();
  }

  void Report(std::string_view phase, std::string detail, const Best* best = nullptr) const {
    if (!request_.progress) return;
    PlanProgress progress{phase, std::move(detail)};
    if (best != nullptr && best->where != nullptr) {
      progress.has_plan = true;
      progress.cost_seconds = static_cast<double>(best->candidate.cost) * 1e-12;
      progress.bound_seconds = static_cast<double>(best->bound) * 1e-12;
    }
    request_.progress(progress);
  }

  SolveOptions Options(int64_t work_limit) const {
    SolveOptions options;
    options.seed = request_.seed;
    options.gap = request_.gap;
    options.threads = request_.threads;
    options.work_limit = work_limit;
    options.interrupted = request_.interrupted;
    if (request_.time_limit_seconds > 0)
      options.time_limit_seconds = std::max(0.01, request_.time_limit_seconds - (Now() - start_));
    return options;
  }

  int64_t SolveWork() const { return request_.time_limit_seconds > 0 ? 0 : kSolveWork; }

  using Made = std::optional<Result<std::unique_ptr<MeshPlanner>>>;

  // One problem per mesh, on all threads; empty where an interrupt came first.
  std::vector<Made> MakeAll(const std::vector<Mesh>& meshes) {
    std::vector<Made> made(meshes.size());
    ParallelFor(meshes.size(), request_.threads, [&](size_t i) {
      if (i == 0 || !Interrupted())
        made[i].emplace(
            MeshPlanner::Make(request_, request_.cluster, meshes[i], request_.plan_template));
    });
    return made;
  }

  Result<void> FormulateAll() {
    const Stopwatch watch(planned_.seconds.formulate);
    const std::vector<Mesh> meshes =
        request_.mesh ? std::vector{*request_.mesh} : MeshesFor(request_.cluster);
    Report("formulate",
           meshes.size() == 1 ? fmt::format("mesh {}", MeshText(meshes[0]))
                              : fmt::format("{} meshes", meshes.size()));
    for (Made& planner : MakeAll(meshes)) {
      if (!planner) continue;
      // A constraint may name axes that only some of the meshes have.
      if (planner->ok())
        planners_.push_back(std::move(*planner).value());
      else if (request_.mesh || planner->error().code != ErrorCode::kUsage)
        return std::move(*planner).error();
      else
        refused_.push_back(std::move(*planner).error());
    }
    if (planners_.empty()) return std::move(refused_.front());
    for (const auto& planner : planners_) planned_.routes += planner->effort();
    return {};
  }

  // What a mesh's plan costs at least, whatever the limit.
  int64_t BoundOf(const MeshPlanner& planner, bool tied) const {
    const auto free = free_bounds_.find(&planner);
    return tied && free != free_bounds_.end() ? std::max(free->second, planner.simple_bound())
                                              : planner.simple_bound();
  }

  // The meshes by that bound; the first good plan spares those behind it.
  std::vector<size_t> BestFirst(bool tied) const {
    std::vector<size_t> order(planners_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return BoundOf(*planners_[a], tied) < BoundOf(*planners_[b], tied);
    });
    return order;
  }

  // The cheapest plan of all meshes, of equal ones that of the first mesh; `where` stays null where
  // nothing fits. Meshes that are known to hold nothing cheaper are not solved, or not to the end.
  Result<Best> SolveAll(std::optional<int64_t> limit, bool tied) {
    const Stopwatch watch(planned_.seconds.solve);
    Best best;
    size_t best_index = 0;
    int64_t bound = kNothingFits;  // of all meshes
    std::optional<Error> failure;
    for (size_t index : BestFirst(tied)) {
      MeshPlanner& planner = *planners_[index];
      SolveOptions options = Options(SolveWork());
      if (best.where != nullptr) {
        const int64_t cutoff = best.candidate.cost + (index < best_index ? 1 : 0);
        if (BoundOf(planner, tied) >= cutoff) continue;
        // Bounds without the limit serve again under the limit.
        if (limit) options.cutoff = cutoff;
      }
      Report("solve", fmt::format("mesh {}", MeshText(planner.mesh())), &best);
      auto solved = planner.Solve(limit, tied, *solver_, options);
      if (!solved.ok()) {
        failure = std::move(solved).error();
        if (failure->code == ErrorCode::kInternal) return std::move(*failure);
        bound = std::min(bound, BoundOf(planner, tied));
        continue;
      }
      Attempt attempt = std::move(solved).value();
      bound = std::min(bound, attempt.bound);
      if (!limit && tied) free_bounds_[&planner] = attempt.bound;
      best.bound = bound;
      if (!attempt.candidate) continue;
      const auto rank = [](int64_t cost, size_t at) { return std::pair(cost, at); };
      if (best.where != nullptr &&
          rank(attempt.candidate->cost, index) > rank(best.candidate.cost, best_index))
        continue;
      best.where = &planner;
      best_index = index;
      best.candidate = std::move(*attempt.candidate);
    }
    best.bound = bound;
    if (best.where == nullptr && failure) return std::move(*failure);
    return best;
  }

  Result<Best> SolveFreeFirst() {
    Best free = TRY(SolveAll(std::nullopt, /*tied=*/true));
    free_ = free;
    if (free.where == nullptr || free.candidate.memory.peak_bytes() <= limit_) return free;
    Best best = TRY(SolveAll(limit_, /*tied=*/true));
    const bool ties = std::any_of(planners_.begin(), planners_.end(), [](const auto& planner) {
      return planner->has_ties();
    });
    if (best.where == nullptr && ties) best = TRY(SolveAll(limit_, /*tied=*/false));
    return best;
  }

  Result<Best> SmallestThatFits() {
    const Stopwatch watch(planned_.seconds.solve);
    Best best = free_;
    int64_t bound = 0;
    for (const auto& planner : planners_) {
      Report("solve", fmt::format("least memory on mesh {}", MeshText(planner->mesh())));
      LeastPeak least = TRY(planner->FindLeastPeak(Options(kLeastPeakWork)));
      bound = planner == planners_.front() ? least.bound : std::min(bound, least.bound);
      Keep(*planner, std::move(least.candidate), best);
    }
    for (const auto& planner : planners_) Shrink(*planner, bound, best);
    const int64_t peak = best.candidate.memory.peak_bytes();
    if (peak > limit_)
      return Error{ErrorCode::kInfeasible,
                   "",
                   fmt::format("no plan {} in {} bytes per device: the smallest budget "
                               "found to work is {} bytes, and less than {} bytes is proven too "
                               "little",
                               limit_ < bound ? "fits" : "was found that fits",
                               limit_,
                               peak,
                               bound),
                   fmt::format("give `--memory {}` or more devices", peak),
                   {}};
    // Found under a smaller budget than the limit, where only the plan without any limit is a
    // bound.
    best.bound = free_.bound;
    best.candidate.status = free_.where == nullptr ? SolveStatus::kHeuristic : SolveStatus::kGap;
    return best;
  }

  // The candidate replaces the best if its program needs less memory.
  static void Keep(MeshPlanner& planner, Candidate candidate, Best& best) {
    if (best.where != nullptr &&
        candidate.memory.peak_bytes() >= best.candidate.memory.peak_bytes())
      return;
    best.where = &planner;
    best.candidate = std::move(candidate);
  }

  // The least peak of the problem leaves out copies made between nodes, so its program may need
  // more than one that was chosen for its cost under a budget. Budgets between the bound and the
  // best are tried, halving the interval; the same ones whatever the limit, so that the budget
  // named in an error works when it is given.
  void Shrink(MeshPlanner& planner, int64_t bound, Best& best) {
    if (EntriesOf(planner) > kImproveEntries) return;
    int64_t low = bound;
    for (int step = 0; step < kShrinkSteps && !Interrupted(); ++step) {
      const int64_t high = best.candidate.memory.peak_bytes();
      if (high - low <= high / 100) return;
      const int64_t budget = low + (high - low) / 2;
      Report("solve",
             fmt::format("budget of {} bytes on mesh {}", budget, MeshText(planner.mesh())));
      auto found = planner.Solve(budget, /*tied=*/true, *solver_, Options(kShrinkWork));
      if (planner.has_ties() && (!found.ok() || !found.value().candidate))
        found = planner.Solve(budget, /*tied=*/false, *solver_, Options(kShrinkWork));
      if (found.ok() && found.value().candidate)
        Keep(planner, *std::move(found).value().candidate, best);
      else
        low = budget;
    }
  }

  static int64_t EntriesOf(const MeshPlanner& planner) {
    int64_t entries = 0;
    for (const ProblemEdge& edge : planner.formulation().problem.edges)
      entries += static_cast<int64_t>(edge.costs->size());
    return entries;
  }

  // With all layers free, from the plan of alike layers.
  void Improve(Best& best) {
    if (Interrupted()) return;
    if (EntriesOf(*best.where) > kImproveEntries) return;
    const Stopwatch watch(planned_.seconds.solve);
    Report("solve", "all layers free", &best);
    SolveOptions options = Options(kImproveWork);
    options.initial = best.candidate.choice;
    auto solved = best.where->Solve(limit_, /*tied=*/false, *solver_, options);
    if (!solved.ok() || !solved.value().candidate) return;
    Candidate& found = *solved.value().candidate;
    const bool better = found.cost < best.candidate.cost;
    const bool proven = found.status == SolveStatus::kOptimal && planners_.size() == 1;
    if (found.cost > best.candidate.cost || (!better && !proven)) return;
    best.bound = found.bound;
    best.candidate = std::move(found);
  }

  SolverReport ReportOf(const Best& best) const {
    const Candidate& c = best.candidate;
    const Formulation& f = best.where->formulation();
    SolverReport out;
    out.solver = std::string(solver_->name);
    out.problem = c.tied ? "repeated layers alike" : "all layers free";
    out.cost = c.cost;
    out.bound = std::min(best.bound, c.cost);
    out.status = std::string(SolveStatusName(c.status));
    if (c.status != SolveStatus::kHeuristic)
      out.status = std::string(
          SolveStatusName(out.bound == c.cost ? SolveStatus::kOptimal : SolveStatus::kGap));
    if (c.cost > 0 && c.status != SolveStatus::kHeuristic)
      out.gap = static_cast<double>(c.cost - out.bound) / static_cast<double>(c.cost);
    out.nodes = static_cast<int64_t>(f.problem.nodes.size());
    out.strategies = f.num_strategies();
    out.pruned = f.pruned;
    out.stopped_by = c.stopped_by;
    return out;
  }

  Result<void> Finish(Best& best) {
    Plan& plan = planned_.plan;
    plan.solver = ReportOf(best);
    {
      const Stopwatch watch(planned_.seconds.lower);
      Report("lower", "", &best);
      plan.origin = request_.origin;
      if (plan.origin.cluster.empty()) plan.origin.cluster = request_.cluster.name;
      if (plan.origin.profile.empty()) plan.origin.profile = request_.cluster.profile->header.name;
      plan.seed = request_.seed;
      plan.mesh = best.where->mesh();
      plan.graph = std::move(best.candidate.graph);
      plan.memory_limit_bytes = limit_;
      const StrategySpace space{&plan.graph, request_.ops, &plan.mesh, &best.where->cluster()};
      for (size_t n = 0; n < plan.graph.nodes.size(); ++n)
        plan.node_costs.push_back(
            ComputePrice(space, plan.graph.nodes[n], best.candidate.assignment.nodes[n]));
      plan.prediction = Simulate(best.candidate.program, request_.cluster, *request_.ops);
      plan.assignment = std::move(best.candidate.assignment);
      plan.redistributions = std::move(best.candidate.redistributions);
      TRY(Bundle(best.candidate.program, plan));
    }
    if (request_.alternatives && !Interrupted()) AddAlternatives();
    planned_.interrupted = Interrupted();
    return {};
  }

  // Lets collectives travel together where the plan is faster for it and still fits.
  Result<void> Bundle(const Program& program, Plan& plan) {
    StepPricer pricer(plan.mesh, request_.cluster);
    std::vector<Redistribution> apart = plan.redistributions;
    if (!MakeBundles(program, pricer, plan.redistributions)) return {};
    Prediction together = Simulate(TRY(Lower(plan)), request_.cluster, *request_.ops);
    const bool fits =
        together.memory.peak_bytes() <= std::max(limit_, plan.prediction.memory.peak_bytes());
    if (fits && together.step.seconds < plan.prediction.step.seconds)
      plan.prediction = std::move(together);
    else
      plan.redistributions = std::move(apart);
    return {};
  }

  void AddAlternative(std::string name, const Candidate& candidate, const Cluster& cluster) {
    const Prediction p = Simulate(candidate.program, cluster, *request_.ops);
    planned_.plan.alternatives.push_back({std::move(name),
                                          p.step.seconds,
                                          p.memory.peak_bytes(),
                                          p.memory.peak_bytes() <= limit_,
                                          ""});
  }

  // Plans a restricted space on one mesh and adds its row.
  void AddRestricted(std::string name, const Cluster& cluster, PlanTemplate plan_template) {
    PlanRequest request = request_;
    request.constraints.clear();
    const Mesh mesh{{{"a", cluster.devices()}}};
    const SolverDef* ilp = FindSolver("ilp");
    auto planner = MeshPlanner::Make(request, cluster, mesh, plan_template);
    if (!planner.ok() || ilp == nullptr) return;
    SolveOptions options = Options(kImproveWork);
    options.gap = 0;
    auto solved = planner.value()->Solve(std::nullopt, /*tied=*/true, *ilp, options);
    if (solved.ok() && solved.value().candidate)
      AddAlternative(std::move(name), *solved.value().candidate, cluster);
  }

  // An input that can be cut along its first dim over all devices.
  bool SomeInputCuts() const {
    for (ValueId id : request_.graph->inputs) {
      const Shape& shape = request_.graph->value(id).type.shape;
      if (!shape.empty() && shape[0] >= request_.cluster.devices()) return true;
    }
    return false;
  }

  void AddAlternatives() {
    const Stopwatch watch(planned_.seconds.solve);
    const Cluster& cluster = request_.cluster;
    Report("solve", "alternatives");
    AddRestricted(
        "one device", MakeCluster("one device", cluster.profile, 1, 1), PlanTemplate::kReplicate);
    if (SomeInputCuts())
      AddRestricted("data parallel only", cluster, PlanTemplate::kDataParallel);
    else
      planned_.plan.alternatives.push_back(
          {"data parallel only",
           0,
           0,
           false,
           fmt::format("no input can be cut into {} along its first dim", cluster.devices())});
    if (free_.where != nullptr) AddAlternative("no memory limit", free_.candidate, cluster);
  }

  const PlanRequest& request_;
  const double start_;
  const SolverDef* solver_ = nullptr;
  int64_t limit_ = 0;
  std::vector<std::unique_ptr<MeshPlanner>> planners_;
  std::vector<Error> refused_;
  Best free_;
  // Bounds of the meshes without a limit, repeated layers alike.
  std::map<const MeshPlanner*, int64_t> free_bounds_;
  Planned planned_;
};

}  // namespace

Result<Planned> MakePlan(const PlanRequest& request) { return Planner(request).Run(); }

}  // namespace metadist
