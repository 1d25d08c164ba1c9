// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/solvers/brute_force.h"

#include <algorithm>

namespace metadist {
namespace {

class Search {
 public:
  explicit Search(const Problem& problem)
      : problem_(problem), choice_(problem.nodes.size(), 0), checks_(problem.nodes.size()) {
    for (const ProblemEdge& edge : problem.edges) {
      checks_[std::max(edge.a, edge.b)].push_back(&edge);
    }
    for (const ProblemNode& node : problem.nodes) {
      for (const MemoryRow& row : node.rows) {
        if (row.lo < row.hi) times_.push_back(row.lo);
      }
    }
    usage_.assign(problem.nodes.size() + 1, std::vector<int64_t>(times_.size(), 0));
  }

  BruteForce Run() {
    Visit(0, 0);
    return out_;
  }

 private:
  void Visit(size_t node, int64_t cost) {
    if (node == choice_.size()) {
      Judge(cost);
      return;
    }
    const ProblemNode& own = problem_.nodes[node];
    for (size_t p = 0; p < own.costs.size(); ++p) {
      choice_[node] = static_cast<int>(p);
      int64_t sum = cost + own.costs[p];
      bool allowed = own.costs[p] < kForbiddenFrom && TiesHold(node);
      for (const ProblemEdge* edge : checks_[node]) {
        if (!allowed) break;
        const size_t stride = problem_.nodes[edge->b].costs.size();
        const int64_t entry = (*edge->costs)[choice_[edge->a] * stride + choice_[edge->b]];
        allowed = entry < kForbiddenFrom;
        sum += allowed ? entry : 0;
      }
      if (!allowed) continue;
      usage_[node + 1] = usage_[node];
      for (const MemoryRow& row : own.rows) {
        for (size_t t = 0; t < times_.size(); ++t) {
          if (row.lo <= times_[t] && times_[t] < row.hi) usage_[node + 1][t] += row.usage[p];
        }
      }
      Visit(node + 1, sum);
    }
  }

  bool TiesHold(size_t node) const {
    if (problem_.tied.empty()) return true;
    for (size_t i = 0; i <= node; ++i) {
      const size_t other = problem_.tied[i];
      if (std::max(i, other) == node && choice_[i] != choice_[other]) return false;
    }
    return true;
  }

  void Judge(int64_t cost) {
    const std::vector<int64_t>& usage = usage_.back();
    const int64_t peak = usage.empty() ? 0 : *std::max_element(usage.begin(), usage.end());
    out_.free_cost = std::min(out_.free_cost.value_or(cost), cost);
    out_.least_peak = std::min(out_.least_peak.value_or(peak), peak);
    if (problem_.usage_limit && peak > *problem_.usage_limit) return;
    if (out_.cost && cost >= *out_.cost) return;
    out_.cost = cost;
    out_.choice = choice_;
  }

  const Problem& problem_;
  Choice choice_;
  // Edges that can be checked once a node is decided.
  std::vector<std::vector<const ProblemEdge*>> checks_;
  // A peak is reached where a row starts.
  std::vector<int64_t> times_;
  std::vector<std::vector<int64_t>> usage_;
  BruteForce out_;
};

}  // namespace

int64_t CountChoices(const Problem& problem) {
  constexpr int64_t kMost = int64_t{1} << 62;
  int64_t count = 1;
  for (const ProblemNode& node : problem.nodes) {
    const int64_t size = static_cast<int64_t>(node.costs.size());
    count = count > kMost / size ? kMost : count * size;
  }
  return count;
}

BruteForce TryAll(const Problem& problem) { return Search(problem).Run(); }

}  // namespace metadist
