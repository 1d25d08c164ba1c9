// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/problem/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "metair/ir/check.h"

namespace metadist {
namespace {

// Sweeps the interval ends in order of time: O(rows log rows), independent of the number of times.
void EvaluateMemory(const Problem& problem, const Choice& choice, Evaluation& out) {
  std::vector<std::pair<int64_t, int64_t>> events;
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    for (const MemoryRow& row : problem.nodes[i].rows) {
      if (row.lo >= row.hi) continue;
      events.emplace_back(row.lo, row.usage[choice[i]]);
      events.emplace_back(row.hi, -row.usage[choice[i]]);
    }
  }
  std::sort(events.begin(), events.end());
  int64_t usage = 0;
  for (size_t k = 0; k < events.size();) {
    const int64_t time = events[k].first;
    for (; k < events.size() && events[k].first == time; ++k) usage += events[k].second;
    if (k == events.size()) break;  // Nothing is live after the last end.
    if (!out.peak_time || usage > out.peak) {
      out.peak = usage;
      out.peak_time = time;
    }
    if (problem.usage_limit && usage > *problem.usage_limit && !out.first_violated) {
      out.first_violated = time;
    }
  }
}

}  // namespace

Evaluation Evaluate(const Problem& problem, const Choice& choice) {
  CHECK(choice.size() == problem.nodes.size(), "a choice has one index per node");
  Evaluation out;
  auto take = [&out](int64_t entry) {
    out.cost += entry;
    if (entry >= kForbiddenFrom) ++out.forbidden;
  };
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    CHECK(choice[i] >= 0 && static_cast<size_t>(choice[i]) < problem.nodes[i].costs.size(),
          "a choice names strategies of its node");
    take(problem.nodes[i].costs[choice[i]]);
    if (!problem.tied.empty() && choice[i] != choice[problem.tied[i]]) ++out.forbidden;
  }
  for (const ProblemEdge& edge : problem.edges) {
    const size_t stride = problem.nodes[edge.b].costs.size();
    take((*edge.costs)[choice[edge.a] * stride + choice[edge.b]]);
  }
  EvaluateMemory(problem, choice, out);
  return out;
}

std::string WideText(WideCost value) { return fmt::format("{}", value); }

}  // namespace metadist
