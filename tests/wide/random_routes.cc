// SPDX-License-Identifier: Apache-2.0
// Random redistributions: planned by every method, executed, compared bit by bit with direct
// placement, and their bytes compared with those of the baselines.
//
// usage: random_routes check CASES SEED [DEVICES]
//          arrays of 1 to 4 dims on up to DEVICES (64) ranks, sizes of 2, 3 and 5, partial sums on
//          a third of them, a tenth that does not divide
//        random_routes pairs MESH SHAPE
//          every pair of shardings of an array of int32, SHAPE as 16x16
//        random_routes time CASES SEED MIB
//          8 thread ranks, MIB a rank: seconds of nf against each baseline
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "executor/host/operand_pattern.h"
#include "executor/run/route_run.h"
#include "planner/redistribute/baselines/algorithms.h"
#include "tests/planner/redistribute/all_shardings.h"
#include "tests/wide/random_case.h"

namespace metadist {
namespace {

constexpr int64_t kThreadRanks = 16;
constexpr int64_t kMostDevices = 64;
constexpr int kExactAxes = 6;

std::string Text(const RouteRequest& request) {
  return fmt::format("{} on {}: {} -> {}",
                     ShapeText(request.type.shape),
                     MeshText(request.mesh->whole),
                     TextOn(request.from, *request.mesh),
                     TextOn(request.to, *request.mesh));
}

struct Tally {
  int64_t cases = 0;
  int64_t executed = 0;
  int64_t failed = 0;
  int64_t no_normal_form = 0;
  int64_t bounded_better = 0;
  std::map<std::string, int64_t> worse_than;  // baselines within the bound that moved fewer bytes
  std::map<std::string, std::pair<double, int64_t>> log_ratio;  // above kExactAxes: baseline / ours

  void Fail(const RouteRequest& request, const std::string& what) {
    ++failed;
    fmt::print("FAILED {}: {}\n", Text(request), what);
  }
};

// Runs the route on distinct integers.
void Execute(const RouteRequest& request, const PlannedRoute& route, Tally& tally) {
  const Mesh& mesh = request.mesh->fine;
  const OperandPattern pattern(route.type, mesh, route.from.partial, request.type.shape);
  std::vector<CollectiveStep> steps;
  for (const RouteStep& step : route.steps) steps.push_back(step.step);
  std::vector<Tensor> held = pattern.Locals(route.from);
  const auto run = mesh.ranks() <= kThreadRanks
                       ? RunRoute(steps, route.type, mesh, std::move(held), {0, 1, 0, 60})
                       : RunRouteInTurn(steps, route.type, mesh, std::move(held));
  ++tally.executed;
  if (!run.ok()) return tally.Fail(request, route.algo + ": " + run.error().text());
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank) {
    const Tensor wanted = pattern.Local(route.to, rank);
    const Tensor& got = run.value().held[static_cast<size_t>(rank)];
    if (got.type() != wanted.type() ||
        !std::equal(
            got.bytes(), got.bytes() + got.size() * ByteSize(got.element()), wanted.bytes()))
      return tally.Fail(request, fmt::format("{}: rank {} holds other bits", route.algo, rank));
  }
  for (size_t s = 0; s < route.steps.size(); ++s)
    if (run.value().elements[s] > route.steps[s].elements)
      tally.Fail(request, fmt::format("{}: step {} holds more than planned", route.algo, s));
}

void Check(const RouteCase& drawn, Tally& tally) {
  ++tally.cases;
  RouteRequest request = drawn.request;
  std::map<std::string, PlannedRoute> routes;
  for (const RouteAlgorithm& method : RouteAlgorithms()) {
    if (request.uneven == Uneven::kP2p && method.name != "p2p") continue;
    request.algo = method.name;
    auto route = PlanRoute(request);
    if (route.ok()) routes[std::string(method.name)] = std::move(route).value();
  }
  request.algo.reset();
  auto best = PlanRoute(request);
  if (!best.ok()) return tally.Fail(request, best.error().text());
  Execute(request, best.value(), tally);
  for (const auto& [name, route] : routes)
    if (name != best.value().algo) Execute(request, route, tally);

  if (request.uneven == Uneven::kP2p) return;
  auto nf = routes.find("nf");
  if (nf == routes.end()) {
    ++tally.no_normal_form;
    nf = routes.find("bounded");
  }
  if (nf == routes.end()) return tally.Fail(request, "neither nf nor bounded has a route");
  const Mesh& mesh = request.mesh->fine;
  const auto elements = [&](const Sharding& sharding) {
    return NumElements(LargestLocalShape(nf->second.type.shape, sharding, mesh));
  };
  const int64_t most = std::max(elements(nf->second.from), elements(nf->second.to));
  for (const char* ours : {"nf", "bounded", "weak"})
    if (routes.count(ours) > 0 && routes[ours].peak_elements > most)
      tally.Fail(request, fmt::format("{} breaks the memory bound", ours));
  int64_t least = nf->second.received_elements;
  if (routes.count("bounded") > 0) {
    tally.bounded_better += routes["bounded"].received_elements < least ? 1 : 0;
    least = std::min(least, routes["bounded"].received_elements);
  }
  for (const RouteAlgorithm& method : RouteAlgorithms()) {
    const auto other = routes.find(std::string(method.name));
    if (!method.baseline || other == routes.end() || other->second.peak_elements > most) continue;
    if (mesh.axes.size() > kExactAxes) {
      if (least == 0 || other->second.received_elements == 0) continue;
      auto& [sum, count] = tally.log_ratio[other->first];
      sum += std::log(static_cast<double>(other->second.received_elements) /
                      static_cast<double>(least));
      ++count;
    } else if (other->second.received_elements < least) {
      ++tally.worse_than[other->first];
      tally.Fail(request,
                 fmt::format("{} moves {} elements, ours {}",
                             other->first,
                             other->second.received_elements,
                             least));
    }
  }
}

int CheckMany(int64_t cases, uint64_t seed, int64_t most_devices) {
  Twister random(seed);
  Tally tally;
  for (int64_t c = 0; c < cases; ++c) {
    const PrimeMesh mesh = DrawMesh(random, most_devices);
    Check(DrawCase(random, mesh, 1 + Below(random, 4)), tally);
  }
  fmt::print(
      "{} cases of seed {}, {} executions, {} failed; no normal form in {}, bounded moved less in "
      "{}\n",
      tally.cases,
      seed,
      tally.executed,
      tally.failed,
      tally.no_normal_form,
      tally.bounded_better);
  for (const auto& [name, ratio] : tally.log_ratio)
    fmt::print("above {} prime factors: {} moves {:.3f} of ours (geometric mean of {})\n",
               kExactAxes,
               name,
               std::exp(ratio.first / static_cast<double>(ratio.second)),
               ratio.second);
  return tally.failed == 0 ? 0 : 1;
}

// Every pair of shardings over whole prime factors, by nf.
int CheckPairs(const char* mesh_text, const char* shape_text) {
  const PrimeMesh mesh = SplitMesh(ParseMesh(mesh_text).value(), {}).value();
  RouteRequest request;
  request.type.element = ElementType::kI32;
  const Mesh shape = ParseMesh(shape_text).value();
  for (const MeshAxis& dim : shape.axes) request.type.shape.push_back(dim.size);
  request.mesh = &mesh;
  request.algo = "nf";
  const std::vector<Sharding> all = AllShardings(request.type.shape, mesh.fine);
  Tally tally;
  for (const Sharding& from : all)
    for (const Sharding& to : all) {
      ++tally.cases;
      request.from = from;
      request.to = to;
      const auto route = PlanRoute(request);
      if (route.ok())
        Execute(request, route.value(), tally);
      else
        tally.Fail(request, route.error().text());
    }
  fmt::print("{} pairs, {} executed, {} failed\n", tally.cases, tally.executed, tally.failed);
  return tally.failed == 0 ? 0 : 1;
}

// Seconds of a route on thread ranks; nothing if it does not fit.
std::optional<double> Seconds(const RouteRequest& request, const PlannedRoute& route) {
  constexpr int64_t kMostElements = int64_t{1} << 28;  // per rank
  if (route.peak_elements > kMostElements) return {};
  const Mesh& mesh = request.mesh->fine;
  std::vector<CollectiveStep> steps;
  for (const RouteStep& step : route.steps) steps.push_back(step.step);
  std::vector<Tensor> held;
  for (int64_t rank = 0; rank < mesh.ranks(); ++rank)
    held.push_back(
        Tensor::Zeros({route.type.element, LocalShape(route.type.shape, route.from, mesh, rank)}));
  const auto run = RunRoute(steps, route.type, mesh, std::move(held), {1, 2, 0, 120});
  if (!run.ok()) return {};
  return *std::min_element(run.value().round_seconds.begin(), run.value().round_seconds.end());
}

// A pair of shardings whose larger end has about `bytes` per rank.
RouteCase DrawLarge(Twister& random, const PrimeMesh& mesh, int64_t bytes) {
  while (true) {
    RouteCase drawn = DrawCase(random, mesh, 1 + Below(random, 4));
    if (!drawn.divides || !drawn.request.from.partial.empty()) continue;
    if (Normalize(drawn.request.from, mesh.fine) == Normalize(drawn.request.to, mesh.fine))
      continue;
    Shape& shape = drawn.request.type.shape;
    const auto held = [&](const Sharding& sharding) {
      return NumElements(LargestLocalShape(shape, sharding, mesh.fine)) * 4;
    };
    for (size_t d = 0; std::max(held(drawn.request.from), held(drawn.request.to)) < bytes;
         d = (d + 1) % shape.size()) {
      shape[d] *= 2;
      for (Sharding* end : {&drawn.request.from, &drawn.request.to})
        if (!end->dims[d].whole()) end->dims[d].parts[0].sub[0].size = shape[d];
    }
    return drawn;
  }
}

int TimeMany(int64_t cases, uint64_t seed, int64_t mib) {
  Twister random(seed);
  std::map<std::string, std::vector<double>> ratios;
  const Mesh meshes[] = {
      ParseMesh("x=2,y=2,z=2").value(), ParseMesh("x=2,y=4").value(), ParseMesh("x=8").value()};
  for (int64_t c = 0; c < cases; ++c) {
    const PrimeMesh mesh = SplitMesh(meshes[c % 3], {}).value();
    RouteRequest request = DrawLarge(random, mesh, mib << 20).request;
    request.mesh = &mesh;
    request.algo = "nf";
    const auto ours = PlanRoute(request);
    if (!ours.ok()) return 1;
    const auto own = Seconds(request, ours.value());
    if (!own || *own <= 0) continue;
    std::string line = fmt::format("{}: nf {:.3f} s", Text(request), *own);
    for (const RouteAlgorithm& method : RouteAlgorithms()) {
      if (!method.baseline) continue;
      request.algo = method.name;
      const auto route = PlanRoute(request);
      if (!route.ok()) continue;
      const auto theirs = Seconds(request, route.value());
      if (!theirs) continue;
      ratios[std::string(method.name)].push_back(*theirs / *own);
      line += fmt::format(", {} {:.2f}", method.name, *theirs / *own);
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  for (auto& [name, all] : ratios) {
    double sum = 0;
    for (double ratio : all) sum += std::log(ratio);
    fmt::print("{}: {} cases, {:.2f} times nf's time (geometric mean), at most {:.1f}\n",
               name,
               all.size(),
               std::exp(sum / static_cast<double>(all.size())),
               *std::max_element(all.begin(), all.end()));
  }
  return 0;
}

int Main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "check" && (argc == 4 || argc == 5))
    return CheckMany(std::atoll(argv[2]),
                     std::strtoull(argv[3], nullptr, 10),
                     argc == 5 ? std::atoll(argv[4]) : kMostDevices);
  if (mode == "pairs" && argc == 4) return CheckPairs(argv[2], argv[3]);
  if (mode == "time" && argc == 5)
    return TimeMany(std::atoll(argv[2]), std::strtoull(argv[3], nullptr, 10), std::atoll(argv[4]));
  fmt::print(stderr,
             "usage: {} check CASES SEED [DEVICES] | pairs MESH SHAPE | time CASES SEED MIB\n",
             argv[0]);
  return 2;
}

}  // namespace
}  // namespace metadist

// NOLINTNEXTLINE(bugprone-exception-escape): an exception ends the test.
int main(int argc, char** argv) { return metadist::Main(argc, argv); }
