// SPDX-License-Identifier: Apache-2.0
// The solvers on a generated problem: a chain of decisions with edges that skip four nodes, similar
// to residual connections, random costs and a binding memory limit.
#include <benchmark/benchmark.h>

#include <random>

#include "planner/solvers/solver.h"

namespace metadist {
namespace {

constexpr int kStrategies = 8;

Problem Generated(int nodes) {
  std::mt19937_64 random(7);
  const auto draw = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
  };
  Problem problem;
  for (int n = 0; n < nodes; ++n) {
    ProblemNode node;
    MemoryRow row{0, nodes, {}};
    for (int s = 0; s < kStrategies; ++s) {
      node.costs.push_back(draw(1000));
      row.usage.push_back(1000 - node.costs.back() / 2 + draw(200));
    }
    node.rows.push_back(std::move(row));
    problem.nodes.push_back(std::move(node));
    for (const int back : {1, 4}) {
      if (n < back) continue;
      std::vector<int64_t> costs;
      for (int i = 0; i < kStrategies * kStrategies; ++i)
        costs.push_back(i % (kStrategies + 1) == 0 ? 0 : draw(600));
      problem.edges.push_back(
          {n - back, n, std::make_shared<const std::vector<int64_t>>(std::move(costs))});
    }
  }
  problem.usage_limit = int64_t{800} * nodes;
  return problem;
}

void Solve(benchmark::State& state, const char* solver) {
  const Problem problem = Generated(static_cast<int>(state.range(0)));
  SolveOptions options;
  options.work_limit = kWorkPerSecond;
  SolveResult result;
  for ([[maybe_unused]] auto _ : state)
    result = FindSolver(solver)->solve(problem, options).value();
  state.SetLabel(std::string(SolveStatusName(result.status)));
  state.counters["cost"] = static_cast<double>(result.cost);
  state.counters["bound"] = static_cast<double>(result.bound);
}
BENCHMARK_CAPTURE(Solve, auto_, "auto")->Arg(12)->Arg(40)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Solve, dp, "dp")->Arg(12)->Arg(40)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Solve, beam, "beam")->Arg(40)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Solve, random, "random")->Arg(40)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace metadist
