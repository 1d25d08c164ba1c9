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
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "metair/ir/check.h"
#include "metair/ir/parallel.h"
#include "metair/ir/suggest.h"
#include "planner/lower/bundles.h"
#include "planner/mesh_planner.h"

namespace metadist {
namespace {

// Work units for improving a plan of alike layers with all layers free; at least so many for every
// edge entry, so that bounds have time to rise.
constexpr int64_t kImproveWork = 200'000'000;
constexpr int64_t kImprovePerEntry = 20;
// Problems with more edge entries are not solved with all layers free.
constexpr int64_t kImproveEntries = 60'000'000;
// Nor are meshes that only matter for the bound, with more than these.
constexpr int64_t kProveEntries = 2'000'000;
// For least-peak searches, and for each budget tried after them.
constexpr int64_t kLeastPeakWork = 100'000'000;
constexpr int64_t kShrinkWork = 50'000'000;
constexpr int kShrinkSteps = 8;
// Of the time limit, for solving without the memory limit.
constexpr double kFreeShare = 0.5;
// Of the time left then, for solving with repeated layers alike.
constexpr double kAlikeShare = 0.5;
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
  LoweredChoice candidate;
};

// What the plans of a mesh that keep the limit cost at least.
struct Bounds {
  int64_t alike = 0;  // repeated layers alike; all layers free is a wider choice
  int64_t free = 0;
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
    if (request_.choose) {
      Best given = TRY(TakeGiven());
      TRY(Finish(given));
      return std::move(planned_);
    }
    Best best =
        TRY(solver_->name == "random" ? SolveAll(limit_, /*tied=*/false) : SolveFreeFirst());
    const bool squeezed = best.where == nullptr;
    if (squeezed) best = TRY(SmallestThatFits());
    if (solver_->name != "random" && (squeezed || best.candidate.tied)) Improve(best);
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

  void Report(std::string_view phase, std::string detail) const {
    if (request_.progress) request_.progress({phase, std::move(detail)});
  }

  // Whether a time limit or an interrupt ends what is not necessary.
  bool Over() const { return Interrupted() || SecondsLeft() <= 0; }

  double SecondsLeft() const {
    if (request_.time_limit_seconds <= 0) return std::numeric_limits<double>::infinity();
    return request_.time_limit_seconds - (Now() - start_);
  }

  // detail: of the lines of progress.  share: of the time left.
  SolveOptions Options(int64_t work_limit, const std::string& detail, double share = 1) const {
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

  std::string MeshDetail(const MeshPlanner& planner, bool tied) const {
    return fmt::format("mesh {}{}{}",
                       MeshText(planner.mesh()),
                       planner.has_ties() ? ", " : "",
                       !planner.has_ties() ? ""
                       : tied              ? kLayersAlike
                                           : kLayersFree);
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
    for (const auto& planner : planners_) {
      planned_.routes += planner->effort();
      bounds_[planner.get()] = {planner->simple_bound(), planner->simple_bound()};
    }
    return {};
  }

  int64_t BoundOf(const MeshPlanner& planner, bool tied) const {
    const Bounds& bounds = bounds_.at(&planner);
    return tied ? bounds.alike : bounds.free;
  }

  void Note(const MeshPlanner& planner, bool tied, const Attempt& attempt) {
    Bounds& bounds = bounds_.at(&planner);
    bounds.alike = std::max(bounds.alike, attempt.bound);
    if (!tied || !planner.has_ties()) bounds.free = std::max(bounds.free, attempt.bound);
    if (!attempt.stopped_by.empty()) stopped_by_ = attempt.stopped_by;
  }

  // Over all meshes.
  int64_t Bound(bool tied) const {
    int64_t bound = kNothingFits;
    for (const auto& planner : planners_) bound = std::min(bound, BoundOf(*planner, tied));
    return bound;
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
  Result<Best> SolveAll(std::optional<int64_t> limit, bool tied, double share = 1) {
    const Stopwatch watch(planned_.seconds.solve);
    Best best;
    size_t best_index = 0;
    std::optional<Error> failure;
    for (size_t index : BestFirst(tied)) {
      MeshPlanner& planner = *planners_[index];
      std::optional<int64_t> cutoff;
      if (best.where != nullptr) {
        cutoff = best.candidate.cost + (index < best_index ? 1 : 0);
        if (BoundOf(planner, tied) >= *cutoff) continue;
      }
      SolveOptions options = Options(SolveWork(), MeshDetail(planner, tied), share);
      // Bounds without the limit serve again under the limit.
      if (limit) options.cutoff = cutoff;
      auto solved = planner.Solve(limit, tied, *solver_, options);
      if (!solved.ok()) {
        failure = std::move(solved).error();
        if (failure->code == ErrorCode::kInternal) return std::move(*failure);
        continue;
      }
      Attempt attempt = std::move(solved).value();
      Note(planner, tied, attempt);
      if (!attempt.candidate) continue;
      const auto rank = [](int64_t cost, size_t at) { return std::pair(cost, at); };
      if (best.where != nullptr &&
          rank(attempt.candidate->cost, index) > rank(best.candidate.cost, best_index))
        continue;
      best.where = &planner;
      best_index = index;
      best.candidate = std::move(*attempt.candidate);
    }
    if (best.where == nullptr && failure) return std::move(*failure);
    return best;
  }

  bool Ties() const {
    return std::any_of(planners_.begin(), planners_.end(), [](const auto& planner) {
      return planner->has_ties();
    });
  }

  Result<Best> SolveFreeFirst() {
    Best free = TRY(SolveAll(std::nullopt, /*tied=*/true, kFreeShare));
    free_ = free;
    if (free.where == nullptr || free.candidate.memory.peak_bytes() <= limit_) return free;
    Best best = TRY(SolveAll(limit_, /*tied=*/true, Ties() ? kAlikeShare : 1));
    if (best.where == nullptr && Ties()) best = TRY(SolveAll(limit_, /*tied=*/false));
    return best;
  }

  Result<Best> SmallestThatFits() {
    const Stopwatch watch(planned_.seconds.solve);
    Best least = free_;
    Best fits;
    int64_t bound = 0;
    for (const auto& planner : planners_) {
      LeastPeak found = TRY(planner->FindLeastPeak(Options(
          kLeastPeakWork, fmt::format("least memory on mesh {}", MeshText(planner->mesh())))));
      bound = planner == planners_.front() ? found.bound : std::min(bound, found.bound);
      Keep(*planner, std::move(found.candidate), least, fits);
    }
    for (const auto& planner : planners_) Shrink(*planner, bound, least, fits);
    const int64_t peak = least.candidate.memory.peak_bytes();
    if (fits.where == nullptr) {
      if (request_.least != nullptr) *request_.least = {peak, bound};
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
    }
    // Found under a smaller budget than the limit, so that its own proof says nothing here.
    if (solver_->name != "random") fits.candidate.status = SolveStatus::kGap;
    return fits;
  }

  // The candidate replaces `least` if its program needs less memory, and `fits` if it keeps the
  // limit and is cheaper.
  void Keep(MeshPlanner& planner, LoweredChoice candidate, Best& least, Best& fits) const {
    const int64_t peak = candidate.memory.peak_bytes();
    if (peak <= limit_ && (fits.where == nullptr || candidate.cost < fits.candidate.cost))
      fits = {&planner, candidate};
    if (least.where == nullptr || peak < least.candidate.memory.peak_bytes())
      least = {&planner, std::move(candidate)};
  }

  // The least peak of the problem leaves out copies made between nodes, so its program may need
  // more than one that was chosen for its cost under a budget. Budgets between the bound and the
  // least are tried, halving the interval; the same ones whatever the limit, so that the budget
  // named in an error works when it is given.
  void Shrink(MeshPlanner& planner, int64_t bound, Best& least, Best& fits) {
    if (EntriesOf(planner) > kImproveEntries) return;
    int64_t low = bound;
    for (int step = 0; step < kShrinkSteps && !Interrupted(); ++step) {
      const int64_t high = least.candidate.memory.peak_bytes();
      if (high - low <= high / 400) return;
      const int64_t budget = low + (high - low) / 2;
      const SolveOptions options =
          Options(kShrinkWork,
                  fmt::format("budget of {} bytes on mesh {}", budget, MeshText(planner.mesh())));
      auto found = planner.Solve(budget, /*tied=*/true, *solver_, options);
      if (planner.has_ties() && (!found.ok() || !found.value().candidate))
        found = planner.Solve(budget, /*tied=*/false, *solver_, options);
      if (found.ok() && found.value().candidate)
        Keep(planner, *std::move(found).value().candidate, least, fits);
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

  Result<Best> TakeGiven() {
    CHECK(planners_.size() == 1, "a given choice is one of a given mesh");
    MeshPlanner& planner = *planners_.front();
    const Choice choice = TRY(request_.choose(planner.formulation().problem));
    Best given{&planner, TRY(planner.TakeChoice(choice))};
    const int64_t peak = given.candidate.memory.peak_bytes();
    if (peak <= limit_) return given;
    return Error{
        ErrorCode::kInfeasible,
        "",
        fmt::format(
            "the program of this choice needs {} bytes per device, the limit is {}", peak, limit_),
        fmt::format("give `--memory {}`", peak),
        {}};
  }

  // The problem that `best` was found in.
  Problem ProblemOf(const Best& best) const {
    Problem problem = best.where->formulation().problem;
    if (!best.candidate.tied) problem.tied.clear();
    problem.usage_limit = best.candidate.usage_limit.value_or(limit_);
    problem.name = fmt::format("{} on {}, mesh {}",
                               request_.origin.model_path,
                               request_.cluster.name,
                               MeshText(best.where->mesh()));
    return problem;
  }

  // With all layers free, from the plan of alike layers, or from one that was found under a smaller
  // budget. Then the other meshes, so that the bound is one over all of them, where that is quick.
  void Improve(Best& best) {
    const Stopwatch watch(planned_.seconds.solve);
    const Stopwatch part(planned_.seconds.improve);
    MeshPlanner* first = best.where;
    if (EntriesOf(*first) <= kImproveEntries) ImproveOn(*first, best);
    for (const size_t index : BestFirst(/*tied=*/false)) {
      MeshPlanner& planner = *planners_[index];
      if (&planner != first && EntriesOf(planner) <= kProveEntries) ImproveOn(planner, best);
    }
  }

  void ImproveOn(MeshPlanner& planner, Best& best) {
    if (Over() || BoundOf(planner, /*tied=*/false) >= best.candidate.cost) return;
    const int64_t work = std::max(kImproveWork, kImprovePerEntry * EntriesOf(planner));
    SolveOptions options = Options(work, MeshDetail(planner, /*tied=*/false));
    if (&planner == best.where)
      options.initial = best.candidate.choice;
    else
      options.cutoff = best.candidate.cost;
    auto solved = planner.Solve(limit_, /*tied=*/false, *solver_, options);
    if (!solved.ok()) return;
    Note(planner, /*tied=*/false, solved.value());
    if (solved.value().candidate && solved.value().candidate->cost < best.candidate.cost)
      best = {&planner, std::move(*solved.value().candidate)};
  }

  SolverReport ReportOf(const Best& best) const {
    const LoweredChoice& c = best.candidate;
    const Formulation& f = best.where->formulation();
    SolverReport out;
    out.solver = request_.choose ? "a given choice" : std::string(solver_->name);
    out.cost = c.cost;
    SetBound(best, out);
    // Every node and edge at its cheapest is a bound where the solver has none.
    const bool bounded = solver_->name != "random" && (out.bound > 0 || c.cost == 0);
    const SolveStatus proven = out.bound == c.cost ? SolveStatus::kOptimal : SolveStatus::kGap;
    out.status = std::string(SolveStatusName(bounded ? proven : SolveStatus::kHeuristic));
    if (out.bound < c.cost && bounded)
      out.gap = static_cast<double>(c.cost - out.bound) / static_cast<double>(c.cost);
    out.nodes = static_cast<int64_t>(f.problem.nodes.size());
    out.strategies = f.num_strategies();
    out.pruned = f.pruned;
    out.reduced_nodes = c.reduced.nodes;
    out.reduced_edges = c.reduced.edges;
    out.reduced_entries = c.reduced.entries;
    out.deletions = c.deletions;
    if (out.status == "gap") out.stopped_by = StoppedBy(c);
    return out;
  }

  std::string StoppedBy(const LoweredChoice& candidate) const {
    if (!candidate.stopped_by.empty()) return candidate.stopped_by;
    return Interrupted() ? "interrupt" : SecondsLeft() <= 0 ? "time" : stopped_by_;
  }

  // The plan is one of all problems that its layers fit; the bound is of the widest of those where
  // it says most.
  void SetBound(const Best& best, SolverReport& out) const {
    const int64_t alike = std::min(Bound(/*tied=*/true), out.cost);
    const int64_t free = std::min(Bound(/*tied=*/false), out.cost);
    const int64_t here = std::min(BoundOf(*best.where, /*tied=*/false), out.cost);
    out.free_bound = free;
    if (best.candidate.tied && alike > free) {
      out.problem = kLayersAlike;
      out.bound = alike;
    } else {
      out.problem = here > free ? kLayersFreeHere : kLayersFree;
      out.bound = here;
    }
  }

  Result<void> Finish(Best& best) {
    Plan& plan = planned_.plan;
    plan.solver = ReportOf(best);
    if (request_.keep_problem) planned_.problem = ProblemOf(best);
    {
      const Stopwatch watch(planned_.seconds.lower);
      Report("lower", "");
      plan.origin = request_.origin;
      if (plan.origin.cluster.empty()) plan.origin.cluster = request_.cluster.name;
      if (plan.origin.profile.empty()) plan.origin.profile = request_.cluster.profile->header.name;
      plan.seed = request_.seed;
      plan.mesh = best.where->mesh();
      plan.graph = std::move(best.candidate.graph);
      for (const ValueId id : plan.graph.OfKind(ValueKind::kConstant)) {
        const std::string& name = plan.graph.value(id).name;
        if (request_.graph->FindValue(name) == kNone) plan.own_constants.insert(name);
      }
      plan.memory_limit_bytes = limit_;
      plan.reduce_in = request_.reduce_in;
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
    if (!MakeBundles(OnlyStage(program), pricer, plan.redistributions)) return {};
    Prediction together = Simulate(TRY(Lower(plan)), request_.cluster, *request_.ops);
    const bool fits =
        together.memory.peak_bytes() <= std::max(limit_, plan.prediction.memory.peak_bytes());
    if (fits && together.step.seconds < plan.prediction.step.seconds)
      plan.prediction = std::move(together);
    else
      plan.redistributions = std::move(apart);
    return {};
  }

  void AddAlternative(std::string name, const LoweredChoice& candidate, const Cluster& cluster) {
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
    const SolverDef* exact = FindSolver("auto");
    auto planner = MeshPlanner::Make(request, cluster, mesh, plan_template);
    if (!planner.ok() || exact == nullptr) return;
    SolveOptions options = Options(kImproveWork, fmt::format("alternative: {}", name));
    options.gap = 0;
    options.progress = nullptr;
    auto solved = planner.value()->Solve(std::nullopt, /*tied=*/true, *exact, options);
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
    const Stopwatch part(planned_.seconds.alternatives);
    const Cluster& cluster = request_.cluster;
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
    if (free_.where != nullptr) AddUnlimited();
  }

  // A plan that fits is one without a limit too, and may be the best that is known.
  void AddUnlimited() {
    AddAlternative("no memory limit", free_.candidate, request_.cluster);
    const Plan& plan = planned_.plan;
    Alternative& row = planned_.plan.alternatives.back();
    if (row.step_seconds <= plan.prediction.step.seconds) return;
    row.step_seconds = plan.prediction.step.seconds;
    row.peak_bytes = plan.peak_bytes();
    row.feasible = true;
  }

  const PlanRequest& request_;
  const double start_;
  const SolverDef* solver_ = nullptr;
  int64_t limit_ = 0;
  std::vector<std::unique_ptr<MeshPlanner>> planners_;
  std::vector<Error> refused_;
  Best free_;
  std::map<const MeshPlanner*, Bounds> bounds_;
  std::string stopped_by_;  // of the last attempt that something kept from more
  Planned planned_;
};

}  // namespace

Result<Planned> MakePlan(const PlanRequest& request) { return Planner(request).Run(); }

}  // namespace metadist
