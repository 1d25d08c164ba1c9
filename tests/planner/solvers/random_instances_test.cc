// SPDX-License-Identifier: Apache-2.0
// Tests every solver, and every stage of the solvers, against brute force on random instances:
// 5,000 small ones by default. METADIST_SOLVER_SEEDS=N draws N, some of them with up to 10^6
// choices.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "planner/solvers/bounds/dual.h"
#include "planner/solvers/bounds/elimination.h"
#include "planner/solvers/bounds/finish.h"
#include "planner/solvers/bounds/links.h"
#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/bounds/priced_elimination.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"
#include "planner/solvers/solver.h"
#include "tests/planner/solvers/brute_force.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {
namespace {

constexpr uint64_t kSeeds = 5000;

uint64_t Seeds() {
  const char* text = std::getenv("METADIST_SOLVER_SEEDS");
  return text == nullptr ? kSeeds : std::strtoull(text, nullptr, 10);
}

Problem Instance(uint64_t seed) {
  constexpr InstanceShape kShapes[] = {
      {.most_nodes = 9},
      {.most_nodes = 9, .most_edges = 4, .limit = false},
      // No rule except those on memory applies.
      {.least_nodes = 6,
       .most_nodes = 10,
       .forbidden = 0,
       .followers = 0,
       .ties = 0,
       .most_edges = 4,
       .trade = 1},
      {.most_nodes = 12, .forbidden = 0.05, .followers = 0.5, .trade = 0.5},
      {.least_nodes = 5,
       .most_nodes = 10,
       .forbidden = 0.02,
       .followers = 0,
       .most_edges = 4,
       .trade = 0.7,
       .cost_unit = 1'000'000'000'000,
       .usage_unit = 1'000'000'000},
      // Costs of -10 and -9 only: ties everywhere.
      {.most_nodes = 9, .forbidden = 0.05, .followers = 0.1, .trade = 0.5, .largest_cost = -9},
      {.least_nodes = 9,
       .most_nodes = 13,
       .most_strategies = 2,
       .forbidden = 0.02,
       .followers = 0,
       .most_edges = 4,
       .trade = 0.9},
  };
  InstanceShape shape = kShapes[seed % std::size(kShapes)];
  const bool wide = Seeds() > kSeeds && seed % 10 == 7;
  if (wide) shape.most_nodes *= 2;
  shape.most_choices = wide ? 1'000'000 : 10'000;
  return RandomProblem(seed, shape);
}

// The least cost of a reduced problem's choices that fit, by brute force.
std::optional<int64_t> LeastCost(const Reduced& reduced) {
  if (reduced.infeasible) return std::nullopt;
  Problem problem;
  for (int i = 0; i < reduced.count(); ++i) {
    ProblemNode& node = problem.nodes.emplace_back();
    for (int64_t cost : reduced.costs[i])
      node.costs.push_back(IsInfinite(cost) ? kForbidden : cost);
    node.rows = reduced.rows.Copy(i);
  }
  // Usage that no choice avoids becomes a node with one strategy.
  ProblemNode& rest = problem.nodes.emplace_back();
  rest.costs = {reduced.constant};
  for (size_t t = 0; t < reduced.base.size(); ++t) {
    const int64_t time = static_cast<int64_t>(t);
    rest.rows.push_back({time, time + 1, {reduced.base[t]}});
  }
  for (const Reduced::Edge& edge : reduced.edges) {
    std::vector<int64_t> costs = edge.costs;
    for (int64_t& cost : costs) cost = IsInfinite(cost) ? kForbidden : cost;
    problem.edges.push_back(
        {edge.a, edge.b, std::make_shared<const std::vector<int64_t>>(std::move(costs))});
  }
  problem.usage_limit = reduced.limit;
  return TryAll(problem).cost;
}

TEST(RandomInstances, ReductionKeepsTheOptimum) {
  for (uint64_t seed = 0; seed < Seeds(); ++seed) {
    const Problem problem = Instance(seed);
    const BruteForce all = TryAll(problem);
    const Reduced full = Reduce(problem, ReduceMode::kFull);
    ASSERT_EQ(LeastCost(full), all.cost) << "seed " << seed;
    ASSERT_EQ(LeastCost(Reduce(problem, ReduceMode::kKeepAllChoices)), all.cost) << "seed " << seed;
    const Reduced free = Reduce(problem, ReduceMode::kWithoutMemory);
    ASSERT_EQ(LeastCost(free), all.free_cost) << "seed " << seed;
    if (all.free_cost) {
      ASSERT_EQ(MinimizeWithoutMemory(free)->cost, *all.free_cost) << "seed " << seed;
    }
    if (!all.cost) continue;
    // Contract and Expand.
    const std::optional<Choice> contracted = full.Contract(all.choice);
    ASSERT_TRUE(contracted.has_value()) << "seed " << seed;
    ASSERT_EQ(ReducedCost(full, *contracted), *all.cost) << "seed " << seed;
    const Evaluation judged = Evaluate(problem, full.Expand(*contracted));
    ASSERT_TRUE(judged.feasible()) << "seed " << seed;
    ASSERT_EQ(static_cast<int64_t>(judged.cost), *all.cost) << "seed " << seed;
  }
}

// CBC computes in doubles and stops within its own tolerances.
TEST(RandomInstances, BoundsOfBranchAndBoundStayBelowTheOptimumToTheLastDigit) {
  int proven = 0;
  for (uint64_t seed = 0; seed < Seeds(); ++seed) {
    InstanceShape shape{.most_nodes = 6, .most_edges = 9, .trade = 0.5};
    shape.cost_unit = seed % 3 == 0 ? 1 : 1'234'567'891;
    shape.largest_cost = 1'000'000;
    shape.most_choices = 10'000;
    const Reduced reduced = Reduce(RandomProblem(seed, shape), ReduceMode::kKeepAllChoices);
    const std::optional<int64_t> least = LeastCost(reduced);
    if (!least || reduced.count() == 0) continue;
    const SolveOptions options;
    Budget budget(options);
    Finish finish(reduced, std::vector<double>(reduced.base.size(), 0), {});
    const FinishResult found = finish.Run(kInfinite, /*gap=*/0, kInfinite, budget);
    ASSERT_LE(found.bound, *least) << "seed " << seed;
    proven += found.status == FinishResult::Status::kOptimal ? 1 : 0;
  }
  EXPECT_GT(proven, 10);
}

std::vector<double> RandomPrices(const Reduced& reduced, Random& random) {
  std::vector<double> prices(reduced.base.size(), 0);
  const double unit = static_cast<double>(std::max<int64_t>(1, reduced.limit.value_or(1)));
  for (double& price : prices) {
    if (random.Unit() < 0.5) price = random.Unit() * 100 / unit;
  }
  return prices;
}

// Checks the bounds of message passing and of elimination at some prices.
void ExpectBelow(const Reduced& reduced,
                 const std::vector<double>& prices,
                 int64_t optimum,
                 const std::string& where) {
  if (reduced.count() == 0) return;
  Dual dual(reduced);
  dual.SetPrices(prices);
  for (int sweep = 0; sweep < 3; ++sweep) {
    dual.Sweep();
    EXPECT_LE(dual.SafeBound(), optimum) << where;
  }
  PricedElimination exact(reduced, *BestElimination(reduced));
  const PricedElimination::Answer answer = exact.Minimize(prices);
  EXPECT_LE(answer.bound, optimum) << where;
  // Up to one unit of rounding per node.
  EXPECT_GE(answer.bound, dual.SafeBound() - 1 - reduced.count()) << where;
}

// Forbids random strategies, but none that the choice takes; returns the others, as ReduceAgain
// takes them.
std::vector<std::vector<char>> ForbidSome(const Choice& choice, Random& random, Reduced& reduced) {
  std::vector<std::vector<char>> alive(reduced.graph.nodes.size());
  for (int i = 0; i < reduced.count(); ++i) {
    for (int p = 0; p < reduced.size(i); ++p) {
      const bool stays = p == choice[i] || random.Unit() < 0.7;
      alive[reduced.origin[i]].push_back(stays);
      if (!stays) reduced.costs[i][p] = kInfinite;
    }
  }
  return alive;
}

TEST(RandomInstances, BoundsStayBelowTheOptimumThroughPruning) {
  for (uint64_t seed = 0; seed < Seeds(); ++seed) {
    const Problem problem = Instance(seed);
    const BruteForce all = TryAll(problem);
    if (!all.cost) continue;
    Random random(seed);
    Reduced reduced = Reduce(problem, ReduceMode::kFull);
    std::vector<double> prices = RandomPrices(reduced, random);
    for (int round = 0; round < 3; ++round) {
      const std::string where = "seed " + std::to_string(seed) + " round " + std::to_string(round);
      ExpectBelow(reduced, prices, *all.cost, where);
      const std::optional<Choice> best = reduced.Contract(all.choice);
      ASSERT_TRUE(best.has_value()) << where;
      ASSERT_EQ(ReducedCost(reduced, *best), *all.cost) << where;
      Reduced some = reduced;
      const auto alive = ForbidSome(*best, random, some);
      ReducedAgain again = ReduceAgain(reduced, alive);
      ASSERT_EQ(LeastCost(again.reduced), all.cost) << where;
      ASSERT_EQ(again.time_now.size(), prices.size()) << where;
      std::vector<double> moved(again.reduced.base.size(), 0);
      for (size_t t = 0; t < prices.size(); ++t) {
        if (again.time_now[t] >= 0) moved[again.time_now[t]] += prices[t];
      }
      if (again.reduced.count() > 0) {
        // Mapping the prices does not lower the bound.
        PricedElimination before(some, *BestElimination(some));
        PricedElimination after(again.reduced, *BestElimination(again.reduced));
        ASSERT_GE(after.Minimize(moved).bound,
                  before.Minimize(prices).bound - 1 - again.reduced.count())
            << where;
      }
      reduced = std::move(again.reduced);
      prices = std::move(moved);
    }
  }
}

// Allowed error of a proof by branch and bound: CBC's tolerance, 1e-9 of the cost. The other
// solvers prove in integers.
int64_t Tolerance(const SolverDef& solver, const BruteForce& all) {
  const bool by_cbc = solver.name == "ilp" || solver.name == "auto";
  return by_cbc && all.cost ? std::abs(*all.cost) / 1'000'000'000 : 0;
}

void ExpectConsistent(const Problem& problem,
                      const BruteForce& all,
                      const SolveResult& result,
                      int64_t tolerance,
                      const std::string& where) {
  if (!all.cost) {
    EXPECT_TRUE(result.choice.empty()) << where;
    EXPECT_LE(result.peak_bound, all.least_peak.value_or(0)) << where;
    if (result.status == SolveStatus::kInfeasible) {
      EXPECT_EQ(result.peak_bound > 0, all.free_cost.has_value()) << where;
    }
    return;
  }
  EXPECT_NE(result.status, SolveStatus::kInfeasible) << where;
  if (result.status != SolveStatus::kHeuristic) {
    EXPECT_LE(result.bound, *all.cost + tolerance) << where;
  }
  if (result.choice.empty()) {
    EXPECT_EQ(result.status, SolveStatus::kNoPlan) << where;
    return;
  }
  const Evaluation judged = Evaluate(problem, result.choice);
  EXPECT_TRUE(judged.feasible()) << where;
  EXPECT_EQ(static_cast<int64_t>(judged.cost), result.cost) << where;
  EXPECT_EQ(judged.peak, result.peak) << where;
  EXPECT_GE(result.cost, *all.cost) << where;
  if (result.status == SolveStatus::kOptimal) {
    EXPECT_LE(result.cost, *all.cost + tolerance) << where;
    EXPECT_EQ(result.bound, result.cost) << where;
  }
}

struct Tally {
  int optimal = 0;
  int gap = 0;
  int heuristic = 0;
  int infeasible = 0;
  int none = 0;
  double worst_gap = 0;
};

SolveResult SolveWatched(const SolverDef& solver,
                         const Problem& problem,
                         const BruteForce& all,
                         SolveOptions options,
                         const std::string& where) {
  options.progress = [&](const SolveProgress& progress) {
    if (all.cost) {
      EXPECT_LE(progress.bound, *all.cost + Tolerance(solver, all))
          << where << " " << progress.phase;
    }
    if (progress.has_choice) {
      EXPECT_GE(progress.cost, all.cost.value_or(kForbidden)) << where << " " << progress.phase;
    }
  };
  return solver.solve(problem, options).value();
}

void Compare(const SolverDef& solver) {
  const std::string name(solver.name);
  const bool exact = name == "ilp" || name == "auto";
  Tally tally;
  for (uint64_t seed = 0; seed < Seeds(); ++seed) {
    const Problem problem = Instance(seed);
    const BruteForce all = TryAll(problem);
    const std::string where = name + " seed " + std::to_string(seed);
    SolveOptions options{.seed = seed};
    const SolveResult result = SolveWatched(solver, problem, all, options, where);
    ExpectConsistent(problem, all, result, Tolerance(solver, all), where);
    if (exact) {
      EXPECT_EQ(result.status, all.cost ? SolveStatus::kOptimal : SolveStatus::kInfeasible)
          << where;
    }
    switch (result.status) {
      case SolveStatus::kOptimal:
        ++tally.optimal;
        break;
      case SolveStatus::kGap:
        ++tally.gap;
        break;
      case SolveStatus::kHeuristic:
        ++tally.heuristic;
        break;
      case SolveStatus::kInfeasible:
        ++tally.infeasible;
        break;
      case SolveStatus::kNoPlan:
        ++tally.none;
        break;
    }
    if (all.cost && !result.choice.empty()) {
      const double above = static_cast<double>(result.cost - *all.cost);
      tally.worst_gap = std::max(tally.worst_gap,
                                 above / std::max(1.0, std::abs(static_cast<double>(*all.cost))));
    }
    if (seed % 10 == 3) {
      // Stopped early by a random work limit.
      options.work_limit = int64_t{1} << (seed / 10 % 20);
      const SolveResult cut = SolveWatched(solver, problem, all, options, where);
      ExpectConsistent(problem, all, cut, Tolerance(solver, all), where + " cut short");
    }
    if (::testing::Test::HasFailure()) return;
  }
  ::testing::Test::RecordProperty("optimal", tally.optimal);
  ::testing::Test::RecordProperty("gap", tally.gap);
  printf("  %s: %d optimal, %d gap, %d heuristic, %d infeasible, %d no plan; worst %.3g above\n",
         name.c_str(),
         tally.optimal,
         tally.gap,
         tally.heuristic,
         tally.infeasible,
         tally.none,
         tally.worst_gap);
}

class EverySolver : public ::testing::TestWithParam<const SolverDef*> {};

TEST_P(EverySolver, AgreesWithBruteForceOrSaysItsGap) { Compare(*GetParam()); }

INSTANTIATE_TEST_SUITE_P(RandomInstances,
                         EverySolver,
                         ::testing::ValuesIn(Solvers().begin(), Solvers().end()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace metadist
