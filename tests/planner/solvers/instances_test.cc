// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/solvers/instances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "planner/solvers/evaluate.h"
#include "planner/solvers/random_numbers.h"

namespace metadist {
namespace {

CostMatrix Share(std::vector<int64_t> costs) {
  return std::make_shared<const std::vector<int64_t>>(std::move(costs));
}

int64_t Entry(Random& random, const InstanceShape& shape) {
  if (random.Unit() < shape.forbidden) return kForbidden;
  return random.Below(shape.largest_cost + 11) - 10;
}

std::vector<int64_t> Entries(Random& random, const InstanceShape& shape, size_t count) {
  std::vector<int64_t> out;
  for (size_t k = 0; k < count; ++k) out.push_back(Entry(random, shape));
  return out;
}

// Each strategy of a allows one of b.
std::vector<int64_t> Follower(Random& random, const InstanceShape& shape, size_t a, size_t b) {
  std::vector<int64_t> out(a * b, kForbidden);
  for (size_t p = 0; p < a; ++p) {
    out[p * b + random.Below(static_cast<int64_t>(b))] = random.Below(shape.largest_cost);
  }
  return out;
}

void AddEdges(Random& random, const InstanceShape& shape, Problem& problem) {
  const int count = static_cast<int>(problem.nodes.size());
  const int edges = count < 2 ? 0 : random.Below(2 * count + 1);
  for (int e = 0; e < edges; ++e) {
    const int a = random.Below(count);
    const int b = (a + 1 + random.Below(count - 1)) % count;
    const size_t size_a = problem.nodes[a].costs.size();
    const size_t size_b = problem.nodes[b].costs.size();
    std::vector<int64_t> costs = Entries(random, shape, size_a * size_b);
    if (random.Unit() < shape.followers) costs = Follower(random, shape, size_a, size_b);
    if (random.Unit() < 0.15) {
      for (size_t k = 0; k < costs.size(); ++k) {
        costs[k] = static_cast<int64_t>(3 * (k / size_b)) - static_cast<int64_t>(k % size_b);
      }
    }
    problem.edges.push_back({a, b, Share(costs)});
    if (random.Unit() < 0.1) {
      std::vector<int64_t> opposite(costs.size(), 0);
      for (size_t p = 0; p < size_a; ++p) {
        for (size_t q = 0; q < size_b; ++q) {
          const int64_t cost = costs[p * size_b + q];
          opposite[q * size_a + p] = cost >= kForbiddenFrom ? 0 : -cost;
        }
      }
      problem.edges.push_back({b, a, Share(std::move(opposite))});
    }
  }
}

int64_t PeakOfMinima(const Problem& problem, bool largest) {
  Problem flat;
  for (const ProblemNode& node : problem.nodes) {
    ProblemNode& copy = flat.nodes.emplace_back();
    copy.costs = {0};
    for (const MemoryRow& row : node.rows) {
      const auto [least, most] = std::minmax_element(row.usage.begin(), row.usage.end());
      copy.rows.push_back({row.lo, row.hi, {largest ? *most : *least}});
    }
  }
  return Evaluate(flat, Choice(flat.nodes.size(), 0)).peak;
}

// Time to go from one layout to another: cutting a whole value is free, anything else moves bytes.
std::vector<int64_t> Redistribution(const std::vector<int>& from,
                                    const std::vector<int>& to,
                                    int64_t bytes) {
  std::vector<int64_t> out;
  for (int p : from) {
    for (int q : to) out.push_back(p == q || p == 0 ? 0 : q == 0 ? bytes : bytes / 4);
  }
  return out;
}

}  // namespace

Problem RandomProblem(uint64_t seed, const InstanceShape& shape) {
  Random random(seed);
  Problem problem;
  problem.name = "random";
  const int count = 1 + random.Below(shape.most_nodes);
  for (int i = 0; i < count; ++i) {
    ProblemNode& node = problem.nodes.emplace_back();
    const int size = 1 + random.Below(shape.most_strategies);
    InstanceShape rarely = shape;
    rarely.forbidden = shape.forbidden / 4;
    node.costs = Entries(random, rarely, size);
    const int rows = random.Below(3);
    for (int r = 0; r < rows; ++r) {
      MemoryRow& row = node.rows.emplace_back();
      row.lo = random.Below(12) - 3;
      row.hi = row.lo + random.Below(6) - 1;
      for (int p = 0; p < size; ++p) row.usage.push_back(random.Below(10));
    }
  }
  AddEdges(random, shape, problem);
  if (shape.ties > 0) {
    for (int i = 0; i < count; ++i) {
      problem.tied.push_back(i);
      for (int j = 0; j < i; ++j) {
        const bool same = problem.nodes[j].costs.size() == problem.nodes[i].costs.size();
        if (same && random.Unit() < shape.ties) problem.tied[i] = j;
      }
    }
  }
  if (shape.limit) {
    const int64_t least = PeakOfMinima(problem, /*largest=*/false);
    const int64_t most = PeakOfMinima(problem, /*largest=*/true);
    problem.usage_limit = std::max<int64_t>(0, least + random.Below(most - least + 2) - 1);
  }
  return problem;
}

Problem LayeredProblem(uint64_t seed, int layers, int strategies, double limit_factor) {
  Random random(seed);
  Problem problem;
  problem.name = "layers";
  constexpr int kPerLayer = 10;
  const int64_t end = layers * kPerLayer;
  std::vector<std::vector<int>> layouts;
  // Strategy p uses layout p % ways (0: whole); the others differ in what they cost.
  const int ways = strategies / 2 + 1;
  auto add = [&](int64_t lo, int64_t hi, int64_t bytes, int64_t work) {
    ProblemNode& node = problem.nodes.emplace_back();
    MemoryRow row{lo, hi, {}};
    std::vector<int> layout;
    for (int p = 0; p < strategies; ++p) {
      const int way = p % ways;
      layout.push_back(way);
      row.usage.push_back(way == 0 ? bytes : bytes / (2 << (way % 3)));
      // Split work is shorter but has to be put together again.
      const int64_t combine = way == 0 ? 0 : work / 8 + random.Below(work / 8 + 1);
      node.costs.push_back(work / (way == 0 ? 4 : 8) + combine + (p / ways) * (work / 10));
    }
    node.rows.push_back(std::move(row));
    layouts.push_back(std::move(layout));
    return static_cast<int>(problem.nodes.size()) - 1;
  };
  auto link = [&](int a, int b, int64_t bytes) {
    problem.edges.push_back({a, b, Share(Redistribution(layouts[a], layouts[b], bytes))});
  };
  int residual = add(0, 4, 4'000'000, 1000);
  for (int layer = 0; layer < layers; ++layer) {
    const int64_t t = layer * kPerLayer;
    const int norm = add(t + 1, t + 4, 4'000'000, 50'000);
    link(residual, norm, 4'000'000);
    const int shared = add(t + 2, t + 4, 4'000'000, 0);
    link(norm, shared, 4'000'000);
    int last = -1;
    for (int k = 0; k < 3; ++k) {
      const int weight = add(0, end, 16'000'000, 0);
      const int product = add(t + 3 + k, t + 6, 4'000'000, 8'000'000);
      link(shared, product, 1'000'000);
      link(weight, product, 16'000'000);
      if (last >= 0) link(last, product, 4'000'000);
      last = product;
    }
    const int sum = add(t + 7, t + kPerLayer + 4, 4'000'000, 20'000);
    link(last, sum, 4'000'000);
    link(residual, sum, 4'000'000);
    residual = sum;
  }
  if (limit_factor > 0) {
    const double least = static_cast<double>(PeakOfMinima(problem, /*largest=*/false));
    problem.usage_limit = static_cast<int64_t>(least * limit_factor);
  }
  return problem;
}

BruteForce TryAll(const Problem& problem) {
  BruteForce out;
  Choice choice(problem.nodes.size(), 0);
  while (true) {
    const Evaluation evaluation = Evaluate(problem, choice);
    if (evaluation.forbidden == 0) {
      const int64_t cost = static_cast<int64_t>(evaluation.cost);
      out.free_cost = std::min(out.free_cost.value_or(cost), cost);
      out.least_peak = std::min(out.least_peak.value_or(evaluation.peak), evaluation.peak);
      if (!evaluation.first_violated) out.cost = std::min(out.cost.value_or(cost), cost);
    }
    size_t k = 0;
    while (k < choice.size()) {
      if (++choice[k] < static_cast<int>(problem.nodes[k].costs.size())) break;
      choice[k++] = 0;
    }
    if (k == choice.size()) return out;
  }
}

TEST(Instances, CoverTheInterestingCases) {
  int infeasible = 0;
  int by_limit = 0;
  int bound_by_limit = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const BruteForce all = TryAll(RandomProblem(seed, {}));
    infeasible += !all.free_cost;
    by_limit += all.free_cost && !all.cost;
    bound_by_limit += all.cost && *all.cost > *all.free_cost;
  }
  EXPECT_GT(infeasible, 20);
  EXPECT_GT(by_limit, 20);
  EXPECT_GT(bound_by_limit, 20);
}

}  // namespace metadist
