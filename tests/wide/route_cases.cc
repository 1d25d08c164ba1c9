// SPDX-License-Identifier: Apache-2.0
// Routes for comparison with other programs: one problem per line of standard input, one JSON line
// each as output.
//
//   x=4,y=2|16,16,16|[y][][x]|[][x,y][]|nf
//   {"peak":512,"received":640,"steps":[{"axes":"x","kind":"AllToAll","to":"[y][x][]"},...]}
//
// Shardings in the form of ParseOn. Algorithms: nf, bounded, best (the cheaper of both), xla,
// xla-later, dtensor-greedy, dtensor-graph, shardy. {"none":true} if a method has no route,
// {"error":text} for lines that cannot be parsed.
#include <fmt/format.h>

#include <exception>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "planner/redistribute/baselines/baselines.h"
#include "planner/redistribute/baselines/normal_form.h"

namespace metadist {
namespace {

using Method = Moves (*)(const RouteProblem&);

double Received(const RouteProblem& problem, const std::vector<Move>& moves) {
  ElementCosts costs(problem.mesh->fine);
  int64_t here = problem.view.LargestElements(problem.from);
  double cost = 0;
  for (const Move& move : moves) {
    const int64_t there = problem.view.LargestElements(move.to);
    cost += costs.Of(move.kind, move.axes, here, there);
    here = there;
  }
  return costs.Elements(cost);
}

Moves NormalFormRoute(const RouteProblem& problem) {
  ElementCosts costs(problem.mesh->fine);
  return NormalForm(problem, costs);
}

Moves BoundedRoute(const RouteProblem& problem) {
  ElementCosts costs(problem.mesh->fine);
  return Bounded(problem, costs);
}

Moves BestRoute(const RouteProblem& problem) {
  const Moves nf = NormalFormRoute(problem);
  const Moves bounded = BoundedRoute(problem);
  if (!nf || !bounded) return nf ? nf : bounded;
  return Received(problem, *bounded) < Received(problem, *nf) ? bounded : nf;
}

const std::map<std::string, Method> kMethods{{"nf", NormalFormRoute},
                                             {"bounded", BoundedRoute},
                                             {"best", BestRoute},
                                             {"xla", XlaRoute},
                                             {"xla-later", LaterXlaRoute},
                                             {"dtensor-greedy", DtensorGreedyRoute},
                                             {"dtensor-graph", DtensorGraphRoute},
                                             {"shardy", ShardyRoute}};

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

nlohmann::json Describe(const RouteProblem& problem, const std::vector<Move>& moves) {
  int64_t peak = problem.view.LargestElements(problem.from);
  nlohmann::json steps = nlohmann::json::array();
  for (const Move& move : moves) {
    peak = std::max(peak, problem.view.LargestElements(move.to));
    steps.push_back({{"kind", Name(move.kind)},
                     {"axes", AxesTextOn(move.axes.ids(), *problem.mesh)},
                     {"to", TextOn(problem.view.ShardingOf(move.to), *problem.mesh)}});
  }
  return {{"peak", peak}, {"received", Received(problem, moves)}, {"steps", steps}};
}

Result<nlohmann::json> Answer(const std::string& line) {
  const std::vector<std::string> fields = Split(line, '|');
  if (fields.size() != 5) return Usage(fmt::format("5 fields expected, got {}", fields.size()));
  const auto method = kMethods.find(fields[4]);
  if (method == kMethods.end()) return Usage(fmt::format("no algorithm '{}'", fields[4]));
  Shape shape;
  for (const std::string& size : Split(fields[1], ',')) shape.push_back(std::stoll(size));
  const Mesh whole = TRY(ParseMesh(fields[0]));
  const PrimeMesh mesh = TRY(SplitMesh(whole, {fields[2], fields[3]}));
  const Sharding from = Normalize(TRY(ParseOn(fields[2], shape, mesh)), mesh.fine);
  const Sharding to = Normalize(TRY(ParseOn(fields[3], shape, mesh)), mesh.fine);
  const auto problem = MakeRouteProblem(shape, from, to, mesh, /*even=*/true);
  if (!problem) return Usage("the ends have no common view");
  const Moves moves = method->second(*problem);
  if (!moves) return nlohmann::json{{"none", true}};
  return Describe(*problem, *moves);
}

}  // namespace
}  // namespace metadist

int main() try {
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = metadist::Answer(line);
    const nlohmann::json text =
        answer.ok() ? answer.value() : nlohmann::json{{"error", answer.error().message}};
    std::cout << text.dump() << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << std::endl;
  return 1;
}
