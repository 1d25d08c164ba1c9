// SPDX-License-Identifier: Apache-2.0
#include "tests/planner/solvers/instances.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/problem/random_numbers.h"

namespace metadist {
namespace {

CostMatrix Share(std::vector<int64_t> costs) {
  return std::make_shared<const std::vector<int64_t>>(std::move(costs));
}

int64_t Entry(Random& random, const InstanceShape& shape) {
  if (random.Unit() < shape.forbidden) return kForbidden;
  return (random.Below(shape.largest_cost + 11) - 10) * shape.cost_unit;
}

std::vector<int64_t> Entries(Random& random, const InstanceShape& shape, size_t count) {
  std::vector<int64_t> out;
  for (size_t k = 0; k < count; ++k) out.push_back(Entry(random, shape));
  return out;
}

// Each strategy of a allows exactly one of b.
std::vector<int64_t> Follower(Random& random, const InstanceShape& shape, size_t a, size_t b) {
  std::vector<int64_t> out(a * b, kForbidden);
  for (size_t p = 0; p < a; ++p) {
    out[p * b + random.Below(static_cast<int64_t>(b))] =
        random.Below(std::max<int64_t>(1, shape.largest_cost)) * shape.cost_unit;
  }
  return out;
}

void AddEdges(Random& random, const InstanceShape& shape, Problem& problem) {
  const int count = static_cast<int>(problem.nodes.size());
  const int edges = count < 2 ? 0 : random.Below(shape.most_edges * count + 1);
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

// Time to change from one layout to another: slicing a replicated value is free, anything else
// moves bytes.
std::vector<int64_t> Redistribution(const std::vector<int>& from,
                                    const std::vector<int>& to,
                                    int64_t bytes) {
  std::vector<int64_t> out;
  for (int p : from) {
    for (int q : to) out.push_back(p == q || p == 0 ? 0 : q == 0 ? bytes : bytes / 4);
  }
  return out;
}

// A limit between the least and the largest peak the rows allow, or equal to the peak of some
// choice, or just below it.
int64_t DrawLimit(Random& random, const Problem& problem) {
  if (random.Below(2) == 0) {
    Choice choice;
    for (const ProblemNode& node : problem.nodes) {
      choice.push_back(random.Below(static_cast<int64_t>(node.costs.size())));
    }
    return std::max<int64_t>(0, Evaluate(problem, choice).peak - random.Below(2));
  }
  const int64_t least = PeakOfMinima(problem, /*largest=*/false);
  const int64_t most = PeakOfMinima(problem, /*largest=*/true);
  const double range = static_cast<double>(most - least + 2);
  return std::max<int64_t>(0, least + static_cast<int64_t>(random.Unit() * range) - 1);
}

// A decision between replicating a value (much memory, little time) and splitting it.
void AddDecision(Random& random, Problem& problem, int strategies, int64_t lo, int64_t hi) {
  ProblemNode& node = problem.nodes.emplace_back();
  MemoryRow row{lo, hi, {}};
  const int64_t bytes = 1000 + random.Below(63'000);
  for (int p = 0; p < strategies; ++p) {
    const int ways = 1 << random.Below(4);
    row.usage.push_back(bytes / ways);
    node.costs.push_back(random.Below(200) + (ways == 1 ? 0 : random.Below(3000)));
  }
  node.rows.push_back(std::move(row));
}

// Zero between equal layouts of one group, otherwise a cost.
void LinkAtRandom(Random& random, Problem& problem, int a, int b, int64_t unit) {
  const int64_t cost = unit * (1 + random.Below(40));
  const size_t rows = problem.nodes[a].costs.size();
  const size_t columns = problem.nodes[b].costs.size();
  std::vector<int> group;
  for (size_t k = 0; k < std::max(rows, columns); ++k) group.push_back(random.Below(3));
  std::vector<int64_t> costs;
  for (size_t p = 0; p < rows; ++p) {
    for (size_t q = 0; q < columns; ++q) {
      costs.push_back(group[p] == group[q] ? 0 : cost + random.Below(cost));
    }
  }
  problem.edges.push_back({a, b, Share(std::move(costs))});
}

// Adds as many dependent nodes as decisions: the strategy of each is determined by an earlier node.
void AddFollowers(Random& random, Problem& problem) {
  const int decisions = static_cast<int>(problem.nodes.size());
  for (int i = 0; i < decisions; ++i) {
    const size_t size = problem.nodes[i].costs.size();
    const MemoryRow& row = problem.nodes[i].rows[0];
    ProblemNode node{std::vector<int64_t>(size, 0), {row}};
    std::vector<int64_t> costs(size * size, kForbidden);
    for (size_t p = 0; p < size; ++p) {
      const size_t q = (p + i) % size;
      node.rows[0].usage[q] = row.usage[p] / 2;
      costs[p * size + q] = random.Below(100);
    }
    problem.nodes.push_back(std::move(node));
    problem.edges.push_back({i, decisions + i, Share(std::move(costs))});
  }
}

// Repeats decisions, so that the tightest time is equally tight however long the problem is.
void Repeat(Problem& problem, int period) {
  if (period == 0) return;
  for (size_t i = static_cast<size_t>(period); i < problem.nodes.size(); ++i) {
    const ProblemNode& like = problem.nodes[i - static_cast<size_t>(period)];
    problem.nodes[i].costs = like.costs;
    problem.nodes[i].rows[0].usage = like.rows[0].usage;
  }
}

void SetLimit(Problem& problem, double factor) {
  if (factor <= 0) return;
  const double least = static_cast<double>(PeakOfMinima(problem, /*largest=*/false));
  problem.usage_limit = static_cast<int64_t>(least * factor);
}

}  // namespace

Problem RandomProblem(uint64_t seed, const InstanceShape& shape) {
  Random random(seed);
  Problem problem;
  problem.name = "random";
  const int wanted = shape.least_nodes + random.Below(shape.most_nodes - shape.least_nodes + 1);
  int64_t choices = 1;
  for (int i = 0; i < wanted; ++i) {
    ProblemNode& node = problem.nodes.emplace_back();
    const int size = 1 + random.Below(shape.most_strategies);
    choices *= size;
    if (choices > shape.most_choices) {
      problem.nodes.pop_back();
      break;
    }
    InstanceShape rarely = shape;
    rarely.forbidden = shape.forbidden / 4;
    node.costs = Entries(random, rarely, size);
    const bool trade = random.Unit() < shape.trade;
    if (trade) {
      std::sort(node.costs.begin(), node.costs.end());
      std::reverse(node.costs.begin(), node.costs.end());
    }
    const int rows = trade ? 1 + random.Below(2) : random.Below(3);
    for (int r = 0; r < rows; ++r) {
      MemoryRow& row = node.rows.emplace_back();
      row.lo = random.Below(12) - 3;
      row.hi = row.lo + random.Below(random.Below(2) == 0 ? 6 : 13) - 1;
      for (int p = 0; p < size; ++p) row.usage.push_back(random.Below(10) * shape.usage_unit);
      if (trade) std::sort(row.usage.begin(), row.usage.end());
    }
  }
  const int count = static_cast<int>(problem.nodes.size());
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
    problem.usage_limit = DrawLimit(random, problem);
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
  // Strategy p uses layout p % ways (0: replicated); strategies of equal layout differ in cost.
  const int ways = strategies / 2 + 1;
  auto add = [&](int64_t lo, int64_t hi, int64_t bytes, int64_t work) {
    ProblemNode& node = problem.nodes.emplace_back();
    MemoryRow row{lo, hi, {}};
    std::vector<int> layout;
    for (int p = 0; p < strategies; ++p) {
      const int way = p % ways;
      layout.push_back(way);
      row.usage.push_back(way == 0 ? bytes : bytes / (2 << (way % 3)));
      // Split work takes less time, but its results must be combined.
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
  SetLimit(problem, limit_factor);
  return problem;
}

Problem GridProblem(
    uint64_t seed, int rows, int columns, int strategies, double limit_factor, int period) {
  Random random(seed);
  Problem problem;
  problem.name = "grid";
  const int count = rows * columns;
  for (int i = 0; i < count; ++i) {
    AddDecision(random, problem, strategies, i, i + 2 * columns);
    if (i % columns > 0) LinkAtRandom(random, problem, i - 1, i, 10);
    if (i >= columns) LinkAtRandom(random, problem, i - columns, i, 10);
  }
  Repeat(problem, period);
  AddFollowers(random, problem);
  SetLimit(problem, limit_factor);
  return problem;
}

Problem TreeProblem(uint64_t seed, int nodes, int strategies, double limit_factor, int period) {
  Random random(seed);
  Problem problem;
  problem.name = "tree";
  for (int i = 0; i < nodes; ++i) {
    AddDecision(random, problem, strategies, i, i + 40);
    if (i > 0) LinkAtRandom(random, problem, std::max(0, i - 1 - random.Below(30)), i, 50);
  }
  Repeat(problem, period);
  AddFollowers(random, problem);
  SetLimit(problem, limit_factor);
  return problem;
}

}  // namespace metadist
