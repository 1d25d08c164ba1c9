// SPDX-License-Identifier: Apache-2.0
#include "planner/search/given_choice.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace metadist {
namespace {

constexpr size_t kMostErrors = 20;

std::string StrategyText(const Problem& problem, const Choice& choice, int node) {
  const bool named = !problem.node_names.empty();
  return fmt::format(
      "strategy {} of {}",
      choice[node],
      named ? fmt::format("'{}'", problem.node_names[node]) : fmt::format("node {}", node));
}

}  // namespace

bool KeepsTies(const Problem& problem, const Choice& choice) {
  for (size_t i = 0; i < problem.tied.size(); ++i) {
    if (choice[i] != choice[problem.tied[i]]) return false;
  }
  return true;
}

Result<void> CheckAllowed(const Problem& problem, const Choice& choice) {
  std::vector<Error> errors;
  const auto fail = [&](std::string message) {
    if (errors.size() < kMostErrors) errors.push_back(BadInput("choice", std::move(message)));
  };
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    if (problem.nodes[i].costs[choice[i]] < kForbiddenFrom) continue;
    fail(StrategyText(problem, choice, static_cast<int>(i)) + " is forbidden");
  }
  for (const ProblemEdge& edge : problem.edges) {
    const size_t columns = problem.nodes[edge.b].costs.size();
    if ((*edge.costs)[choice[edge.a] * columns + choice[edge.b]] < kForbiddenFrom) continue;
    fail(fmt::format("{} and {} exclude each other",
                     StrategyText(problem, choice, edge.a),
                     StrategyText(problem, choice, edge.b)));
  }
  if (!errors.empty()) return Join(std::move(errors));
  return {};
}

}  // namespace metadist
