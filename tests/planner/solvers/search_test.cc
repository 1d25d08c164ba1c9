// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/search.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "planner/solvers/bounds/cbc_run.h"
#include "planner/solvers/bounds/decomposition.h"
#include "planner/solvers/bounds/marginal.h"
#include "planner/solvers/bounds/memory_profile.h"
#include "planner/solvers/bounds/prune.h"
#include "planner/solvers/moves/splice.h"
#include "planner/solvers/problem/evaluate.h"
#include "tests/planner/solvers/brute_force.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {
namespace {

constexpr InstanceShape kDense{.least_nodes = 6,
                               .most_nodes = 9,
                               .most_strategies = 5,
                               .forbidden = 0.02,
                               .followers = 0,
                               .ties = 0,
                               .most_choices = 20'000};

TEST(Dual, EveryLinkHasItsEntriesThoughEqualOnesAreShared) {
  int links = 0;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const Reduced reduced = Reduce(LayeredProblem(seed, 4, 6, 1.1), ReduceMode::kKeepAllChoices);
    const Dual dual(reduced);
    for (int i = 0; i < reduced.count(); ++i) {
      ASSERT_EQ(dual.hops(i).size(), dual.links()[i].size());
      for (size_t k = 0; k < dual.links()[i].size(); ++k, ++links) {
        const Link& link = dual.links()[i][k];
        EXPECT_EQ(dual.hops(i)[k].other, link.other);
        const size_t own = reduced.size(i);
        const size_t others = reduced.size(link.other);
        for (size_t p = 0; p < own; ++p) {
          for (size_t q = 0; q < others; ++q) {
            const size_t at = link.first ? p * others + q : q * own + p;
            const double cost = static_cast<double>(reduced.edges[link.edge].costs[at]);
            ASSERT_EQ(dual.rows(link)[p * others + q], cost);
            ASSERT_EQ(dual.rows(dual.hops(i)[k])[p * others + q], cost);
            ASSERT_EQ(dual.columns(link)[q * own + p], cost);
          }
        }
      }
    }
  }
  EXPECT_GT(links, 50);
}

TEST(Dual, SafeBoundIsValidAndTight) {
  int with_rows = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Problem problem = RandomProblem(seed, kDense);
    const std::optional<int64_t> optimum = TryAll(problem).cost;
    // Reduced only as far as the dual needs, so that the remaining problem is hard.
    const Reduced reduced = Reduce(problem, ReduceMode::kKeepAllChoices);
    if (!optimum || reduced.infeasible) continue;
    with_rows += reduced.limit.has_value();
    Dual dual(reduced);
    Random random(seed);
    std::vector<double> prices(reduced.base.size());
    for (double& price : prices) price = random.Unit() < 0.5 ? 0 : 3 * random.Unit();
    dual.SetPrices(prices);
    double last = -1e300;
    for (int k = 0; k < 6; ++k) {
      const double bound = dual.Sweep();
      EXPECT_GE(bound, last - 1e-6) << seed;
      last = bound;
      const int64_t safe = dual.SafeBound();
      EXPECT_LE(safe, *optimum) << seed;
      EXPECT_GE(static_cast<double>(safe), bound - 1e-3) << seed;
      EXPECT_LE(static_cast<double>(safe), bound + 1) << seed;
    }
  }
  EXPECT_GT(with_rows, 50);
}

TEST(Dual, MinMarginalsBoundForcedStrategies) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Problem problem = RandomProblem(seed, {.most_nodes = 5, .forbidden = 0, .limit = false});
    const Reduced reduced = Reduce(problem, ReduceMode::kKeepAllChoices);
    Dual dual(reduced);
    const double bound = [&] {
      for (int k = 0; k < 3; ++k) dual.Sweep();
      return dual.Sweep();
    }();
    const std::vector<std::vector<double>> marginals = dual.MinMarginals();
    Choice choice(reduced.count(), 0);
    for (int k = -1; k < reduced.count();) {
      const double cost = static_cast<double>(ReducedCost(reduced, choice));
      for (int i = 0; i < reduced.count(); ++i) {
        EXPECT_LE(bound + marginals[i][choice[i]], cost + 1e-6) << seed;
      }
      for (k = 0; k < reduced.count(); ++k) {
        if (++choice[k] < reduced.size(k)) break;
        choice[k] = 0;
      }
    }
  }
}

// The optimum of the reduced problem, by trying every choice; nullopt if nothing fits.
std::optional<int64_t> Optimum(const Reduced& reduced) {
  std::optional<int64_t> best;
  if (reduced.infeasible) return best;
  Choice choice(reduced.count(), 0);
  for (int k = -1; k < reduced.count();) {
    const int64_t cost = ReducedCost(reduced, choice);
    const bool fits = MemoryProfile(reduced, choice).fits();
    if (fits && !IsInfinite(cost) && (!best || cost < *best)) best = cost;
    for (k = 0; k < reduced.count(); ++k) {
      if (++choice[k] < reduced.size(k)) break;
      choice[k] = 0;
    }
  }
  return best;
}

TEST(Decomposition, NoPairAboveIsTakenByACheaperChoice) {
  int64_t marked = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = RandomProblem(seed, kDense);
    const Reduced reduced = Reduce(problem, ReduceMode::kKeepAllChoices);
    const std::optional<int64_t> optimum = Optimum(reduced);
    if (!optimum || reduced.edges.empty()) continue;
    Dual dual(reduced);
    for (int k = 0; k < 4; ++k) dual.Sweep();
    const Decomposition decomposition(reduced, dual);
    std::vector<char> marks;
    for (size_t e = 0; e < reduced.edges.size(); ++e) {
      marked += decomposition.PairsAbove(static_cast<int>(e), *optimum, marks);
      Choice choice(reduced.count(), 0);
      for (int k = -1; k < reduced.count();) {
        const size_t stride = reduced.size(reduced.edges[e].b);
        const int64_t cost = ReducedCost(reduced, choice);
        if (cost <= *optimum && MemoryProfile(reduced, choice).fits()) {
          EXPECT_FALSE(marks[choice[reduced.edges[e].a] * stride + choice[reduced.edges[e].b]])
              << seed;
        }
        for (k = 0; k < reduced.count(); ++k) {
          if (++choice[k] < reduced.size(k)) break;
          choice[k] = 0;
        }
      }
    }
  }
  EXPECT_GT(marked, 500);
}

TEST(Prune, KeepsWhatIsWantedAndExpandsToIt) {
  int shrank = 0;
  int emptied = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Problem problem = RandomProblem(seed, kDense);
    const std::optional<int64_t> optimum = TryAll(problem).cost;
    Reduced reduced = Reduce(problem, ReduceMode::kKeepAllChoices);
    if (!optimum || reduced.infeasible || reduced.count() == 0) continue;
    const SolveOptions options;
    Budget budget(options);
    for (int64_t more : {-1, 0, 2, 7}) {
      PriceAscent ascent(reduced, budget);
      ascent.Climb(30, *optimum + 1);
      EXPECT_LE(ascent.proven(), *optimum) << seed;
      const std::optional<ReducedAgain> left = Prune(reduced, ascent.dual(), *optimum + more);
      if (!left) continue;
      ++shrank;
      const std::optional<int64_t> best = Optimum(left->reduced);
      if (more < 0) {
        emptied += left->reduced.infeasible;
        continue;
      }
      ASSERT_TRUE(best.has_value()) << seed;
      EXPECT_EQ(*best, *optimum) << seed;
      PriceAscent next(left->reduced, budget);
      next.Inherit(reduced, ascent, *left);
      next.Prove();
      EXPECT_LE(next.proven(), *optimum) << seed;
    }
  }
  EXPECT_GT(shrank, 200);
  EXPECT_GT(emptied, 20);
}

TEST(Search, EveryStageHolds) {
  int pruned = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = RandomProblem(seed, kDense);
    const std::optional<int64_t> optimum = TryAll(problem).cost;
    Reduced reduced = Reduce(problem, ReduceMode::kKeepAllChoices);
    if (!optimum || reduced.infeasible || !reduced.limit) continue;
    const SolveOptions options;
    Budget budget(options);
    Search search(std::move(reduced), seed, budget);
    search.Start();
    int64_t upper = search.found() ? search.cost() : kInfinite;
    for (int round = 0; round < 3; ++round) {
      search.Epoch({100'000, 100'000}, {.upper = upper}, 1 + round % 2);
      EXPECT_LE(std::min(search.bound(), upper), *optimum) << seed;
      if (!search.found()) continue;
      const Evaluation judged = Evaluate(problem, search.Original());
      EXPECT_TRUE(judged.feasible()) << seed;
      EXPECT_EQ(static_cast<int64_t>(judged.cost), search.cost()) << seed;
      EXPECT_GE(search.cost(), *optimum) << seed;
      upper = std::min(upper, search.cost());
      pruned += search.Prune(upper - 1);
      if (search.reduced().infeasible || search.reduced().count() == 0) break;
    }
    if (search.reduced().infeasible) {
      EXPECT_EQ(upper, *optimum) << seed;
    }
  }
  EXPECT_GT(pruned, 10);
}

TEST(Search, EachSideRestsWhereItIsEnough) {
  int tried = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = GridProblem(seed, 12, 12, 6, 1.5);
    const Reduced reduced = Reduce(problem, ReduceMode::kFull);
    if (reduced.infeasible || !reduced.limit || reduced.count() == 0) continue;
    const SolveOptions options;
    Budget long_budget(options);
    Search longer(reduced, seed, long_budget);
    longer.Epoch({1'000'000, 0}, {}, 1);
    const int64_t climbed = long_budget.work();
    longer.FinishRounded();
    if (!longer.found() || longer.cost() <= longer.bound()) continue;
    ++tried;
    const double bound = static_cast<double>(longer.bound());
    Budget short_budget(options);
    Search shorter(reduced, seed, short_budget);
    shorter.Epoch({1'000'000, 0}, {.bound = 0.95 * bound}, 1);
    EXPECT_GE(static_cast<double>(shorter.bound()), 0.94 * bound) << seed;
    EXPECT_LT(short_budget.work(), climbed) << seed;

    const int64_t before = long_budget.work();
    longer.Epoch({0, 1'000'000}, {.cost = static_cast<double>(longer.cost())}, 1);
    EXPECT_EQ(long_budget.work(), before) << seed;
    longer.Epoch({0, 1'000'000}, {}, 1);
    EXPECT_GT(long_budget.work(), before) << seed;
  }
  EXPECT_GT(tried, 5);
}

TEST(Search, WhatTheBoundSideRoundsIsMadeToFit) {
  int found = 0;
  int tried = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = LayeredProblem(seed, 4, 6, 1.1);
    Reduced reduced = Reduce(problem, ReduceMode::kFull);
    if (reduced.infeasible || !reduced.limit || reduced.count() == 0) continue;
    const SolveOptions options;
    Budget budget(options);
    Search search(std::move(reduced), seed, budget);
    search.Epoch({1'000'000, 0}, {}, 1);
    EXPECT_FALSE(search.found()) << seed;
    search.FinishRounded();
    ++tried;
    if (!search.found()) continue;
    ++found;
    const Evaluation judged = Evaluate(problem, search.Original());
    EXPECT_TRUE(judged.feasible()) << seed;
    EXPECT_EQ(static_cast<int64_t>(judged.cost), search.cost()) << seed;
  }
  EXPECT_GT(tried, 10);
  EXPECT_GT(found, tried / 2);
}

// A chain of equal nodes: strategy 0 costs 10 and uses nothing, 1 costs nothing and uses `usage`; a
// change along the chain costs 1.
Problem Chain(int count, int64_t usage, int64_t limit) {
  Problem problem;
  const auto change =
      std::make_shared<const std::vector<int64_t>>(std::vector<int64_t>{0, 1, 1, 0});
  for (int i = 0; i < count; ++i) {
    problem.nodes.push_back({{10, 0}, {{0, 1, {0, usage}}}});
    if (i > 0) problem.edges.push_back({i - 1, i, change});
  }
  problem.usage_limit = limit;
  return problem;
}

TEST(Splice, MixesEqualNodesUpToTheLimit) {
  const Reduced reduced = Reduce(Chain(20, 10, 105), ReduceMode::kKeepAllChoices);
  ASSERT_EQ(reduced.count(), 20);
  const Jagged<Link> links = MakeLinks(reduced);
  const Choice dear(20, 0);
  const Choice big(20, 1);
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const std::optional<Choice> mixed = Splice(reduced, links, dear, big, random);
    ASSERT_TRUE(mixed.has_value());
    EXPECT_TRUE(MemoryProfile(reduced, *mixed).fits());
    EXPECT_LE(ReducedCost(reduced, *mixed), 102);
    const std::optional<Choice> back = Splice(reduced, links, big, dear, random);
    ASSERT_TRUE(back.has_value());
    EXPECT_TRUE(MemoryProfile(reduced, *back).fits());
  }
  EXPECT_FALSE(Splice(Reduce(Chain(5, 10, 9), ReduceMode::kKeepAllChoices),
                      MakeLinks(Reduce(Chain(5, 10, 9), ReduceMode::kKeepAllChoices)),
                      Choice(5, 1),
                      Choice(5, 1),
                      random)
                   .has_value());
}

TEST(MarginalProgram, CoverExcludesWhatTheToleranceLetsPass) {
  // Two large usages exceed the limit by one part in 10^12.
  const int64_t usage = 500'000'000'000;
  const Problem problem = Chain(3, usage, 2 * usage - 1);
  const Reduced reduced = Reduce(problem, ReduceMode::kKeepAllChoices);
  MarginalProgram program(reduced, MarginalProgram::Objective::kCost, 1);
  EXPECT_TRUE(program.AddTime(0));
  EXPECT_FALSE(program.AddTime(0));
  for (int round = 0; round < 10; ++round) {
    const MipResult answer = SolveMip(program.model(), {});
    ASSERT_EQ(answer.status, MipResult::Status::kOptimal);
    const Choice choice = program.Read(answer.solution);
    const double cost = answer.objective * program.objective_unit() +
                        static_cast<double>(program.offset() + reduced.constant);
    EXPECT_NEAR(cost, static_cast<double>(ReducedCost(reduced, choice)), 1e-6);
    if (MemoryProfile(reduced, choice).fits()) {
      EXPECT_EQ(ReducedCost(reduced, choice), *TryAll(problem).cost);
      return;
    }
    program.AddCover(choice, 0);
  }
  FAIL() << "never fits";
}

TEST(SolveMip, TellsInfeasibleFromStopped) {
  LinearModel model;
  const int column = model.AddColumn(1, 1, /*integer=*/true);
  model.AddElement(model.AddRow(2, 2), column, 1);
  EXPECT_EQ(SolveMip(model, {}).status, MipResult::Status::kInfeasible);
}

struct SparseColumn {
  double cost;
  bool integer;  // 0 or 1; otherwise any value >= 0
  std::vector<std::pair<int, double>> elements;
};

// The first `ones` rows equal 1, the following ones 0, and the last, `limited`, is at most `limit`.
LinearModel LimitedProgram(const std::vector<SparseColumn>& columns,
                           int ones,
                           int limited,
                           double limit) {
  LinearModel model;
  for (int row = 0; row < limited; ++row) model.AddRow(row < ones ? 1 : 0, row < ones ? 1 : 0);
  model.AddRow(-1e300, limit);
  for (const SparseColumn& column : columns) {
    const double upper = column.integer ? 1 : 1e300;
    const int at = model.AddColumn(column.cost, upper, column.integer);
    for (const auto& [row, value] : column.elements) model.AddElement(row, at, value);
  }
  return model;
}

// CBC in this process, which would end if CBC crashed.
MipResult Here(const LinearModel& model, const MipOptions& options) {
  return RunCbc(model, options, CbcEffort::kAll);
}

// Probing proves the root infeasible by crossed bounds, which would make Clp abort the process.
TEST(RunCbc, CutoffWithinTheToleranceBelowTheOptimum) {
  const std::vector<SparseColumn> columns = {
      {0, true, {{3, -1}, {13, 0.01}}},
      {1304347.83, true, {{4, -1}}},
      {1304347.83, true, {{5, -1}}},
      {0, true, {{9, -1}, {13, 0.0537815126}}},
      {0, true, {{10, -1}}},
      {0, true, {{0, 1}, {11, -1}, {13, 0.01}}},
      {0, true, {{0, 1}, {12, -1}}},
      {0, true, {{1, 1}, {13, 0.01}}},
      {2546583.85, true, {{1, 1}}},
      {0, true, {{2, 1}, {6, -1}}},
      {0, true, {{2, 1}, {7, -1}}},
      {0, true, {{2, 1}, {8, -1}}},
      {0, false, {{3, 1}, {6, 1}}},
      {1, false, {{3, 1}, {8, 1}}},
      {0, false, {{4, 1}, {8, 1}}},
      {0, false, {{5, 1}, {7, 1}}},
      {0, false, {{5, 1}, {8, 1}}},
      {0, false, {{9, 1}, {11, 1}}},
      {2546583.85, false, {{9, 1}, {12, 1}}},
      {10000000, false, {{10, 1}, {12, 1}}},
  };
  const LinearModel model = LimitedProgram(columns, 3, 13, 0.0537815126);
  const MipResult whole = Here(model, {});
  ASSERT_EQ(whole.status, MipResult::Status::kOptimal);
  for (double part : {1e-10, 1e-9, 5e-9, 1e-8, 1e-7, 1e-6}) {
    const MipResult below = Here(model, {.cutoff = whole.objective * (1 - part)});
    if (below.status == MipResult::Status::kInfeasible) continue;
    EXPECT_EQ(below.status, MipResult::Status::kOptimal) << part;
    EXPECT_NEAR(below.objective, whole.objective, 1e-7 * whole.objective) << part;
  }
}

// A basis of a heuristic's linear program cannot be factorised before any variable has left it. Clp
// would then write outside its memory, and the process would crash when that memory is freed.
TEST(RunCbc, ABasisThatCannotBeFactorisedAtOnce) {
  const std::vector<SparseColumn> columns = {
      {0, true, {{0, 1}, {5, -1}, {8, -1}, {9, -1}}},
      {0, true, {{0, 1}, {6, -1}}},
      {1, true, {{11, -1}}},
      {1, true, {{10, -1}}},
      {0, true, {{1, 1}, {13, -1}, {18, 0.173}}},
      {10000000, true, {{1, 1}, {14, -1}}},
      {10000000, true, {{1, 1}, {15, -1}}},
      {0, true, {{2, 1}, {18, 0.011}}},
      {0, true, {{2, 1}, {7, -1}}},
      {0, true, {{4, -1}, {18, 0.097}}},
      {0, true, {{12, -1}, {18, 0.011}}},
      {0, true, {{3, 1}, {16, -1}}},
      {0, true, {{3, 1}}},
      {0, true, {{3, 1}, {17, -1}}},
      {0, false, {{4, 1}, {5, 1}}},
      {0, false, {{4, 1}, {6, 1}}},
      {0, false, {{7, 1}, {8, 1}}},
      {0, false, {{9, 1}, {10, 1}}},
      {0, false, {{11, 1}, {12, 1}}},
      {1, false, {{11, 1}}},
      {0, false, {{13, 1}, {16, 1}}},
      {0, false, {{13, 1}}},
      {0, false, {{13, 1}, {17, 1}}},
      {0, false, {{14, 1}, {16, 1}}},
      {0, false, {{15, 1}, {17, 1}}},
  };
  const LinearModel model = LimitedProgram(columns, 4, 18, 0.176);
  EXPECT_EQ(Here(model, {.cutoff = 6.6e6}).status, MipResult::Status::kInfeasible);
  const MipResult whole = Here(model, {});
  EXPECT_EQ(whole.status, MipResult::Status::kOptimal);
  EXPECT_NEAR(whole.objective, 1e7, 10);
}

// An assertion fails in a CBC heuristic on this program, which kills CBC's process.
TEST(SolveMip, AHeuristicThatCrashes) {
  constexpr double kDear = 5041322.3140495867;
  constexpr double kCheap = 13223.140495867769;
  constexpr double kBytes = 0.0013750429700928155;
  const std::vector<SparseColumn> columns = {
      {0, true, {{0, 1}, {7, -1}}},
      {0, true, {{0, 1}, {8, -1}}},
      {kCheap, true, {{0, 1}, {9, -1}, {11, kBytes}}},
      {kCheap, true, {{0, 1}, {10, -1}, {11, kBytes}}},
      {0, true, {{1, 1}, {11, 3 * kBytes}}},
      {10000000, true, {{1, 1}}},
      {0, true, {{2, 1}, {3, -1}, {11, kBytes}}},
      {0, true, {{2, 1}, {4, -1}, {11, kBytes}}},
      {0, true, {{2, 1}, {5, -1}}},
      {0, true, {{2, 1}, {6, -1}}},
      {kDear, false, {{3, 1}, {8, 1}}},
      {0, false, {{3, 1}, {10, 1}}},
      {kDear, false, {{4, 1}, {7, 1}}},
      {0, false, {{4, 1}, {9, 1}}},
      {kDear, false, {{5, 1}, {9, 1}}},
      {kDear, false, {{6, 1}, {10, 1}}},
  };
  const LinearModel model = LimitedProgram(columns, 3, 11, 0.0058439326228945099);
  EXPECT_EQ(SolveMip(model, {.cutoff = kDear - 0.0413}).status, MipResult::Status::kInfeasible);
  const MipResult whole = SolveMip(model, {});
  EXPECT_EQ(whole.status, MipResult::Status::kOptimal);
  EXPECT_NEAR(whole.objective, kDear, 1);
}

LinearModel LayeredProgram() {
  const Reduced reduced = Reduce(LayeredProblem(4, 2, 6, 1.6), ReduceMode::kFull);
  MarginalProgram program(reduced, MarginalProgram::Objective::kCost, 1);
  for (size_t t = 0; t < reduced.base.size(); ++t) program.AddTime(static_cast<int>(t));
  return program.model();
}

TEST(SolveMip, KeepsAValidBoundWhereverItStops) {
  const LinearModel model = LayeredProgram();
  const MipResult whole = SolveMip(model, {});
  ASSERT_EQ(whole.status, MipResult::Status::kOptimal);
  int with_bound = 0;
  int with_solution = 0;
  for (int64_t k = 1; k < 40; ++k) {
    const int64_t limit = whole.work * k / 40;
    const MipResult part = SolveMip(model, {.work = limit});
    // The last steps only map the solution back.
    if (part.status == MipResult::Status::kOptimal) {
      EXPECT_DOUBLE_EQ(part.objective, whole.objective) << k;
      continue;
    }
    ASSERT_EQ(part.status, MipResult::Status::kStopped) << k;
    EXPECT_GE(part.work, limit);
    EXPECT_LE(part.bound, whole.objective * (1 + 1e-9)) << k;
    EXPECT_EQ(SolveMip(model, {.work = limit}).solution, part.solution) << k;
    if (part.bound > -1e300) ++with_bound;
    if (part.solution.empty()) continue;
    ++with_solution;
    EXPECT_GE(part.objective, whole.objective * (1 - 1e-9)) << k;
  }
  EXPECT_GT(with_bound, 0);
  EXPECT_GT(with_solution, 0);
}

std::atomic<int> interrupts = 0;

// COIN-OR's solvers install signal handlers of their own, which would hide an interrupt from the
// calling program.
TEST(RunCbc, LeavesInterruptsToTheProgram) {
  const LinearModel model = LayeredProgram();
  const auto before = std::signal(SIGINT, [](int) { ++interrupts; });
  std::atomic<bool> done = false;
  std::thread solving([&] {
    for (int i = 0; i < 20; ++i) Here(model, {});
    done = true;
  });
  int sent = 0;
  bool arrived = true;
  while (!done && arrived) {
    std::raise(SIGINT);
    arrived = interrupts.load() == ++sent;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  solving.join();
  std::signal(SIGINT, before);
  EXPECT_TRUE(arrived) << "not the interrupt number " << sent;
  EXPECT_GT(sent, 20);
}

}  // namespace
}  // namespace metadist
