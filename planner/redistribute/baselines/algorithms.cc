// SPDX-License-Identifier: Apache-2.0
#include "planner/redistribute/baselines/algorithms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "planner/redistribute/baselines/baselines.h"
#include "planner/redistribute/baselines/move_costs.h"
#include "planner/redistribute/baselines/normal_form.h"
#include "planner/redistribute/baselines/padding.h"
#include "planner/redistribute/point_to_point.h"
#include "planner/redistribute/route_problem.h"
#include "planner/redistribute/route_steps.h"

namespace metadist {
namespace {

constexpr std::string_view kPointToPoint = "p2p";
constexpr int kBothUpTo = 4;  // up to this many movable axes, both nf and bounded are tried

int MovableAxes(const RouteProblem& problem) {
  const Mesh& mesh = problem.mesh->fine;
  const uint32_t frozen = problem.rule().frozen;
  int count = 0;
  for (size_t a = 0; a < mesh.axes.size(); ++a)
    count += mesh.axes[a].size > 1 && (frozen >> a & 1) == 0 ? 1 : 0;
  return count;
}

bool BySize(const RouteProblem& problem) { return MovableAxes(problem) > kMostExactAxes; }

Moves WeakRoute(const RouteProblem& problem, MoveCosts& costs) {
  Moves moves = NormalForm(problem, costs, /*by_size=*/true);
  return moves ? moves : Bounded(problem, costs, /*by_size=*/true);
}

Moves NormalFormRoute(const RouteProblem& problem, MoveCosts& costs) {
  return BySize(problem) ? WeakRoute(problem, costs) : NormalForm(problem, costs);
}

Moves BoundedRoute(const RouteProblem& problem, MoveCosts& costs) {
  return Bounded(problem, costs, BySize(problem));
}

// A method that does not compare costs.
template <Moves (*kRoute)(const RouteProblem&)>
Moves Baseline(const RouteProblem& problem, MoveCosts&) {
  return kRoute(problem);
}

using Method = Moves (*)(const RouteProblem&, MoveCosts&);
struct Row {
  RouteAlgorithm algorithm;
  Method method = nullptr;  // nullptr: point to point
};

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {
#define ROUTE_ALGORITHM(name, method, other, help) {{name, help, other}, method},
#include "planner/redistribute/baselines/algorithms.def"
#undef ROUTE_ALGORITHM
  };
  return rows;
}

// Reports all reasons why there is no route problem between the two ends.
Result<void> Check(const RouteRequest& request) {
  std::vector<Error> problems;
  const Mesh& mesh = request.mesh->fine;
  std::map<ReduceOp, std::vector<int>> made;
  for (const Partial& partial : request.to.partial)
    if (std::ranges::find(request.from.partial, partial) == request.from.partial.end())
      made[partial.op].push_back(partial.axis);
  for (const auto& [op, axes] : made)
    problems.push_back(Usage(fmt::format("axis '{}' holds operands of a {} at the destination only",
                                         AxesTextOn(axes, *request.mesh),
                                         Name(op)),
                             "a redistribution reduces partial axes, it makes none"));
  if (request.from.has_halos())
    problems.push_back(Usage("the source has a halo", "a halo is for the use at the destination"));
  if ((request.from.has_spares() || request.to.has_spares()) && request.uneven == Uneven::kPadded)
    problems.push_back(Usage("a padded array has no spare elements",
                             "pass `--uneven p2p`, which needs no padding"));
  if (request.to.has_halos() && request.uneven == Uneven::kPadded)
    problems.push_back(Usage("a halo of a padded array would hold padding",
                             "pass `--uneven p2p`, which needs no padding"));
  for (const Sharding* sharding : {&request.from, &request.to}) {
    std::map<ReduceOp, std::vector<int>> mixed;
    for (const Partial& partial : sharding->partial) mixed[partial.op].push_back(partial.axis);
    if (mixed.size() > 1)
      problems.push_back(Usage(fmt::format("axes '{}' and '{}' hold operands of a {} and a {}",
                                           AxesTextOn(mixed.begin()->second, *request.mesh),
                                           AxesTextOn(mixed.rbegin()->second, *request.mesh),
                                           Name(mixed.begin()->first),
                                           Name(mixed.rbegin()->first)),
                               "reductions of two kinds on one array have no order"));
  }
  for (const auto& [end, sharding] :
       {std::pair{"source", &request.from}, std::pair{"destination", &request.to}}) {
    if (request.uneven != Uneven::kRefuse) break;
    for (size_t d = 0; d < sharding->dims.size(); ++d)
      for (const DimPart& part : sharding->dims[d].parts)
        for (const SubDim& sub : part.sub)
          if (sub.size % mesh.size(sub.axes) != 0)
            problems.push_back(
                Usage(fmt::format("dim {} of the {}: {} does not divide into {} pieces along {}",
                                  d,
                                  end,
                                  sub.size,
                                  mesh.size(sub.axes),
                                  AxesTextOn(sub.axes, *request.mesh)),
                      "pass `--uneven p2p` or `--uneven pad` to allow pieces of different sizes"));
  }
  if (problems.empty()) return {};
  return Join(std::move(problems));
}

class RoutePlanner {
 public:
  explicit RoutePlanner(const RouteRequest& request)
      : request_(request),
        mesh_(request.mesh->fine),
        made_(Normalize(request.from, mesh_)),
        from_(made_.WithoutSpares()),
        wanted_(Normalize(request.to, mesh_)),
        to_(wanted_.WithoutHalos().WithoutSpares()),
        problem_(MakeRouteProblem(
            request.type.shape, from_, to_, *request.mesh, request.uneven == Uneven::kRefuse)) {
    if (request.cluster == nullptr) {
      costs_ = std::make_unique<ElementCosts>(mesh_);
    } else {
      pricer_ = std::make_unique<StepPricer>(mesh_, *request.cluster);
      costs_ = std::make_unique<SecondCosts>(*pricer_, mesh_, request.type.element);
    }
  }

  Result<PlannedRoute> Run() {
    if (!request_.algo) return Best();
    for (const Row& row : Rows())
      if (row.algorithm.name == *request_.algo) return By(row);
    if (*request_.algo == kPointToPoint) return Direct();
    std::vector<std::string_view> names;
    for (const RouteAlgorithm& known : RouteAlgorithms()) names.push_back(known.name);
    return Usage(fmt::format("unknown method '{}'", *request_.algo),
                 fmt::format("one of {}", fmt::join(names, ", ")));
  }

 private:
  PlannedRoute Direct() {
    return Measured(kPointToPoint, PointToPoint(request_.type.shape, from_, to_, mesh_));
  }

  Result<PlannedRoute> By(const Row& row) {
    if (!problem_) return ByGathering(row);
    const Moves moves = row.method(*problem_, *costs_);
    if (!moves)
      return NoRoute(row, from_, to_, "`--algo auto` tries others, `--algo p2p` always has one");
    return Measured(row.algorithm.name, StepsOf(*problem_, *moves));
  }

  Error NoRoute(const Row& row,
                const Sharding& from,
                const Sharding& to,
                std::string hint = "") const {
    return Usage(fmt::format("{} has no route from {} to {}",
                             row.algorithm.name,
                             TextOn(from, *request_.mesh),
                             TextOn(to, *request_.mesh)),
                 std::move(hint));
  }

  // If two views of a dim have no common refinement, that dim is gathered in between.
  Result<PlannedRoute> ByGathering(const Row& row) {
    Sharding middle = from_;
    for (size_t d = 0; d < middle.dims.size(); ++d) {
      Sharding before = Sharding::Replicated(middle.dims.size());
      Sharding after = before;
      before.dims[d] = from_.dims[d];
      after.dims[d] = to_.dims[d];
      if (!View::Common(request_.type.shape, before, after, mesh_)) middle.dims[d] = {};
    }
    std::vector<CollectiveStep> steps;
    using Leg = std::pair<const Sharding*, const Sharding*>;
    for (const auto& [a, b] : {Leg{&from_, &middle}, Leg{&middle, &to_}}) {
      const auto problem = MakeRouteProblem(
          request_.type.shape, *a, *b, *request_.mesh, request_.uneven == Uneven::kRefuse);
      const Moves moves = problem ? row.method(*problem, *costs_) : std::nullopt;
      if (!moves) return NoRoute(row, *a, *b);
      const auto more = StepsOf(*problem, *moves);
      steps.insert(steps.end(), more.begin(), more.end());
    }
    return Measured(row.algorithm.name, std::move(steps));
  }

  Result<PlannedRoute> Best() {
    std::optional<PlannedRoute> best;
    const bool few = problem_ && MovableAxes(*problem_) <= kBothUpTo;
    const int64_t most = std::max(Elements(from_), Elements(wanted_));
    const auto offer = [&](PlannedRoute route) {
      if (!best || Rank(route) < Rank(*best)) best = std::move(route);
    };
    for (const Row& row : Rows()) {
      if (row.algorithm.name == "weak") continue;
      if (row.algorithm.name == "bounded" && best && !few) continue;
      if (row.algorithm.baseline && (request_.cluster == nullptr || !problem_)) continue;
      auto route = By(row);
      if (route.ok() && route.value().peak_elements <= most) offer(std::move(route).value());
    }
    if (request_.allow_p2p || !best) offer(Direct());
    return std::move(*best);
  }

  // The best route is that of least cost, then of fewest steps; the first wins a tie.
  std::pair<double, size_t> Rank(const PlannedRoute& route) const {
    const double cost =
        route.price ? route.price->seconds : static_cast<double>(route.received_elements);
    return {cost, route.steps.size()};
  }

  int64_t Elements(const Sharding& sharding) const {
    return NumElements(LargestLocalShape(request_.type.shape, sharding, mesh_));
  }

  PlannedRoute Measured(std::string_view algo, std::vector<CollectiveStep> steps) {
    PlannedRoute out{
        .algo = std::string(algo), .type = request_.type, .from = made_, .to = wanted_};
    if (made_ != from_) steps.insert(steps.begin(), DropStep(made_));
    const Sharding plain = wanted_.WithoutSpares();
    if (plain != to_) steps.push_back(HaloStep(plain));
    if (wanted_ != plain) steps.push_back(SpareStep(wanted_));
    if (pricer_) out.price = Priced{};
    out.peak_elements = std::max(Elements(from_), Elements(wanted_));
    const int64_t item = ByteSize(request_.type.element);
    for (CollectiveStep& step : steps) {
      RouteStep row;
      row.elements = Elements(step.to);
      row.received = ReceivedBytes(step, request_.type, mesh_) / item;
      if (pricer_) row.price = pricer_->Price(step, request_.type);
      out.both_elements = std::max(out.both_elements, Elements(step.from) + row.elements);
      out.peak_elements = std::max(out.peak_elements, row.elements);
      out.received_elements += row.received;
      if (row.price) *out.price += *row.price;
      row.step = std::move(step);
      out.steps.push_back(std::move(row));
    }
    return out;
  }

  const RouteRequest& request_;
  const Mesh& mesh_;
  const Sharding made_, from_;  // from_: made_ without its spare elements
  const Sharding wanted_, to_;  // to_: wanted_ without its halos and spare elements
  const std::optional<RouteProblem> problem_;
  std::unique_ptr<StepPricer> pricer_;
  std::unique_ptr<MoveCosts> costs_;
};

}  // namespace

const std::vector<RouteAlgorithm>& RouteAlgorithms() {
  static const std::vector<RouteAlgorithm> all = [] {
    std::vector<RouteAlgorithm> out;
    for (const Row& row : Rows()) out.push_back(row.algorithm);
    out.push_back({kPointToPoint, "every rank fetches what it lacks", false});
    return out;
  }();
  return all;
}

Result<PlannedRoute> PlanRoute(const RouteRequest& request) {
  TRY(Check(request));
  if (request.uneven != Uneven::kPadded) return RoutePlanner(request).Run();
  PaddedEnds padded =
      TRY(PadEnds(request.type.shape, request.from, request.to, request.mesh->fine));
  RouteRequest even = request;
  even.type.shape = std::move(padded.shape);
  even.from = std::move(padded.from);
  even.to = std::move(padded.to);
  even.uneven = Uneven::kRefuse;
  return RoutePlanner(even).Run();
}

}  // namespace metadist
