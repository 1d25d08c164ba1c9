// SPDX-License-Identifier: Apache-2.0
#include "planner/solvers/solver.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "planner/solvers/minimum_peak.h"
#include "planner/solvers/problem/evaluate.h"
#include "planner/solvers/problem/problem_io.h"
#include "tests/planner/solvers/brute_force.h"
#include "tests/planner/solvers/instances.h"

namespace metadist {
namespace {

SolveResult SolveBy(std::string_view name,
                    const Problem& problem,
                    const SolveOptions& options = {}) {
  const SolverDef* solver = FindSolver(name);
  EXPECT_NE(solver, nullptr);
  EXPECT_TRUE(Validate(problem).ok());
  return solver->solve(problem, options).value();
}

Problem Example() {
  std::ifstream file(METADIST_SOURCE_DIR "/tests/data/problems/example.json");
  std::stringstream text;
  text << file.rdbuf();
  return ParseProblem(text.str()).value();
}

void ExpectExact(const Problem& problem, uint64_t seed) {
  const BruteForce all = TryAll(problem);
  const SolveResult result = SolveBy("auto", problem);
  if (!all.cost) {
    EXPECT_EQ(result.status, SolveStatus::kInfeasible) << "seed " << seed;
    EXPECT_EQ(result.peak_bound > 0, all.free_cost.has_value()) << "seed " << seed;
    EXPECT_LE(result.peak_bound, all.least_peak.value_or(0)) << "seed " << seed;
    return;
  }
  EXPECT_EQ(result.status, SolveStatus::kOptimal) << "seed " << seed;
  EXPECT_EQ(result.cost, *all.cost) << "seed " << seed;
  EXPECT_EQ(result.bound, *all.cost) << "seed " << seed;
  const Evaluation judged = Evaluate(problem, result.choice);
  EXPECT_TRUE(judged.feasible()) << "seed " << seed;
  EXPECT_EQ(static_cast<int64_t>(judged.cost), result.cost) << "seed " << seed;
  EXPECT_EQ(judged.peak, result.peak) << "seed " << seed;
}

TEST(Solvers, TheTableSaysWhichIsTheDefaultAndWhichOptimize) {
  std::string defaults;
  std::string drawing;
  for (const SolverDef* solver : Solvers()) {
    if (solver->is_default) defaults += solver->name;
    if (!solver->optimizes) drawing += solver->name;
  }
  EXPECT_EQ(defaults, "auto");
  EXPECT_EQ(drawing, "random");
  EXPECT_EQ(DefaultSolver().name, "auto");
  EXPECT_EQ(SolverNames(), "auto, beam, dp, ilp, random, search");
}

TEST(Solvers, TableIsSortedAndFound) {
  std::string_view last;
  for (const SolverDef* solver : Solvers()) {
    EXPECT_LT(last, solver->name);
    last = solver->name;
    EXPECT_EQ(FindSolver(solver->name), solver);
    EXPECT_FALSE(solver->summary.empty());
  }
  EXPECT_EQ(FindSolver("ilq"), nullptr);
}

TEST(Solvers, StopsAreTold) {
  EXPECT_EQ(StopText(""), "");
  EXPECT_EQ(StopText("time"), ", stopped by the time limit");
  EXPECT_EQ(StopText("work"), ", stopped by the work limit");
  EXPECT_EQ(StopText("interrupt"), ", stopped by interrupt");
  EXPECT_EQ(StopText("crash"), ", because CBC crashed");
}

TEST(Auto, SolvesTheExample) {
  const SolveResult result = SolveBy("auto", Example());
  EXPECT_EQ(result.status, SolveStatus::kOptimal);
  EXPECT_EQ(result.choice, (Choice{0, 0, 2, 1, 0}));
  EXPECT_EQ(result.cost, 445);
  EXPECT_EQ(result.peak, 50);
  Problem free = Example();
  free.usage_limit.reset();
  EXPECT_EQ(SolveBy("auto", free).choice, (Choice{0, 0, 1, 1, 0}));
  EXPECT_EQ(SolveBy("auto", free).cost, 415);
}

TEST(Auto, EqualsBruteForce) {
  for (uint64_t seed = 0; seed < 1500; ++seed) ExpectExact(RandomProblem(seed, {}), seed);
}

TEST(Auto, EqualsBruteForceWithoutForbiddenPairs) {
  const InstanceShape shape{.most_nodes = 8, .forbidden = 0, .followers = 0, .ties = 0};
  for (uint64_t seed = 0; seed < 150; ++seed) ExpectExact(RandomProblem(seed, shape), seed);
}

TEST(Auto, EqualsBruteForceWithoutLimit) {
  const InstanceShape shape{.limit = false};
  for (uint64_t seed = 0; seed < 400; ++seed) ExpectExact(RandomProblem(seed, shape), seed);
}

TEST(Auto, ProvesLayeredProblems) {
  for (double factor : {0.0, 1.15, 1.6}) {
    const Problem problem = LayeredProblem(3, 4, 8, factor);
    const SolveResult result = SolveBy("auto", problem);
    EXPECT_EQ(result.status, SolveStatus::kOptimal) << factor;
    EXPECT_TRUE(Evaluate(problem, result.choice).feasible());
  }
}

TEST(Auto, SameSeedSameResult) {
  const Problem problem = LayeredProblem(5, 5, 8, 1.1);
  const SolveResult a = SolveBy("auto", problem, {.seed = 9});
  const SolveResult b = SolveBy("auto", problem, {.seed = 9});
  EXPECT_EQ(a.choice, b.choice);
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.work, b.work);
}

TEST(Auto, OneThreadAndTwoGiveTheSame) {
  for (std::string_view name : {"auto", "search"}) {
    for (int64_t work : {1'000'000, 12'345'678, 60'000'000}) {
      const Problem problem = GridProblem(7, 12, 4, 6, 1.15);
      const SolveResult a = SolveBy(name, problem, {.seed = 3, .work_limit = work, .threads = 1});
      const SolveResult b = SolveBy(name, problem, {.seed = 3, .work_limit = work, .threads = 2});
      EXPECT_EQ(a.choice, b.choice) << name << work;
      EXPECT_EQ(a.bound, b.bound) << name << work;
      EXPECT_EQ(a.work, b.work) << name << work;
      EXPECT_EQ(a.deletions, b.deletions) << name << work;
    }
  }
}

TEST(Auto, MoreWorkIsNeverWorse) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const Problem problem = GridProblem(seed, 10, 4, 6, 1.12);
    SolveResult last;
    for (int64_t work = 100'000; work < 20'000'000; work *= 5) {
      const SolveResult result = SolveBy("auto", problem, {.seed = seed, .work_limit = work});
      if (!last.choice.empty()) {
        ASSERT_FALSE(result.choice.empty()) << seed << " work " << work;
        EXPECT_LE(result.cost, last.cost) << seed << " work " << work;
        EXPECT_GE(result.bound, last.bound) << seed << " work " << work;
      }
      last = result;
    }
  }
}

TEST(Auto, BoundsAreBelowTheOptimumWhereverItStops) {
  const InstanceShape shape{.most_nodes = 8, .forbidden = 0.05, .followers = 0};
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Problem problem = RandomProblem(seed, shape);
    const BruteForce all = TryAll(problem);
    for (int64_t work : {1, 200, 2000, 20000, 100000, 500000}) {
      const SolveResult result = SolveBy("auto", problem, {.work_limit = work});
      if (!all.cost) {
        EXPECT_TRUE(result.choice.empty());
        continue;
      }
      ASSERT_NE(result.status, SolveStatus::kInfeasible) << seed;
      EXPECT_LE(result.bound, *all.cost) << "seed " << seed << " work " << work;
      if (result.status == SolveStatus::kNoPlan) continue;
      EXPECT_GE(result.cost, *all.cost);
      EXPECT_TRUE(Evaluate(problem, result.choice).feasible());
    }
  }
}

TEST(Auto, ACutoffSparesWhatIsNotWanted) {
  const InstanceShape shape{
      .least_nodes = 6, .most_nodes = 9, .forbidden = 0, .followers = 0, .ties = 0};
  int cut = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const Problem problem = RandomProblem(seed, shape);
    const BruteForce all = TryAll(problem);
    if (!all.cost) continue;
    for (int64_t more : {-7, -1, 0, 1, 9}) {
      SolveOptions options;
      options.cutoff = *all.cost + more;
      const SolveResult result = SolveBy("auto", problem, options);
      EXPECT_LE(result.bound, *all.cost) << "seed " << seed;
      if (more > 0) {
        EXPECT_EQ(result.status, SolveStatus::kOptimal) << "seed " << seed;
        EXPECT_EQ(result.cost, *all.cost) << "seed " << seed;
      } else if (result.status != SolveStatus::kOptimal) {
        EXPECT_GE(result.bound, *options.cutoff) << "seed " << seed;
        EXPECT_EQ(result.stopped_by, "cutoff") << "seed " << seed;
        ++cut;
      }
    }
  }
  EXPECT_GT(cut, 30);
}

TEST(Auto, HasAChoiceRightAfterReduction) {
  std::vector<std::string> phases;
  SolveOptions options{.work_limit = 1};
  options.progress = [&](const SolveProgress& progress) { phases.emplace_back(progress.phase); };
  SolveBy("auto", LayeredProblem(2, 6, 8, 1.3), options);
  ASSERT_GE(phases.size(), 2u);
  EXPECT_EQ(phases[0], "reduce");
  EXPECT_EQ(phases[1], "incumbent");
}

TEST(Auto, StopsWhenInterrupted) {
  const std::atomic<bool> interrupted = true;
  const SolveResult result =
      SolveBy("auto", LayeredProblem(2, 6, 8, 1.1), {.interrupted = &interrupted});
  EXPECT_EQ(result.stopped_by, "interrupt");
}

TEST(Auto, StopsInsideBranchAndBoundWhenInterrupted) {
  const Problem problem = LayeredProblem(1, 40, 8, 1.2);
  std::atomic<bool> interrupted = false;
  std::thread interrupter;
  SolveOptions options{.interrupted = &interrupted};
  options.progress = [&](const SolveProgress& progress) {
    if (progress.phase != "search" || interrupter.joinable()) return;
    interrupter = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      interrupted = true;
    });
  };
  const SolveResult result = SolveBy("auto", problem, options);
  ASSERT_TRUE(interrupter.joinable());
  interrupter.join();
  EXPECT_EQ(result.stopped_by, "interrupt");
  EXPECT_TRUE(Evaluate(problem, result.choice).feasible());
  EXPECT_LT(result.bound, result.cost);
}

TEST(Random, IsFeasibleAndReachesEveryStrategy) {
  const InstanceShape shape{.most_nodes = 4, .most_strategies = 3, .limit = false};
  for (uint64_t instance = 0; instance < 40; ++instance) {
    const Problem problem = RandomProblem(instance, shape);
    std::set<Choice> feasible;
    Choice choice(problem.nodes.size(), 0);
    for (size_t k = 0; k < choice.size();) {
      if (Evaluate(problem, choice).feasible()) feasible.insert(choice);
      for (k = 0; k < choice.size(); ++k) {
        if (++choice[k] < static_cast<int>(problem.nodes[k].costs.size())) break;
        choice[k] = 0;
      }
    }
    std::set<Choice> drawn;
    for (uint64_t seed = 0; seed < 150; ++seed) {
      const SolveResult result = SolveBy("random", problem, {.seed = seed});
      if (feasible.empty()) {
        EXPECT_EQ(result.status, SolveStatus::kInfeasible);
        break;
      }
      ASSERT_EQ(result.status, SolveStatus::kHeuristic) << instance;
      EXPECT_TRUE(feasible.contains(result.choice));
      drawn.insert(result.choice);
    }
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      std::set<int> possible;
      std::set<int> seen;
      for (const Choice& each : feasible) possible.insert(each[i]);
      for (const Choice& each : drawn) seen.insert(each[i]);
      EXPECT_EQ(seen, possible) << "instance " << instance << " node " << i;
    }
  }
}

TEST(Random, KeepsTheLimit) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Problem problem = RandomProblem(seed, {});
    const BruteForce all = TryAll(problem);
    const SolveResult result = SolveBy("random", problem, {.seed = seed});
    if (!all.cost) {
      EXPECT_EQ(result.status, SolveStatus::kInfeasible) << seed;
      continue;
    }
    ASSERT_EQ(result.status, SolveStatus::kHeuristic) << seed;
    EXPECT_TRUE(Evaluate(problem, result.choice).feasible()) << seed;
  }
}

TEST(Random, SeedsDiffer) {
  const Problem problem = LayeredProblem(1, 4, 8, 0);
  EXPECT_EQ(SolveBy("random", problem, {.seed = 4}).choice,
            SolveBy("random", problem, {.seed = 4}).choice);
  EXPECT_NE(SolveBy("random", problem, {.seed = 4}).choice,
            SolveBy("random", problem, {.seed = 5}).choice);
}

TEST(MinimumPeak, EqualsBruteForce) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Problem problem = RandomProblem(seed, {});
    const BruteForce all = TryAll(problem);
    const MinimumPeakResult result = MinimumPeak(problem, {}).value();
    ASSERT_EQ(result.feasible, all.least_peak.has_value()) << seed;
    if (!result.feasible) continue;
    EXPECT_EQ(result.peak, *all.least_peak) << seed;
    EXPECT_EQ(result.bound, *all.least_peak) << seed;
    const Evaluation judged = Evaluate(problem, result.choice);
    EXPECT_EQ(judged.forbidden, 0) << seed;
    EXPECT_EQ(judged.peak, result.peak) << seed;
  }
}

TEST(MinimumPeak, OneByteLessIsInfeasibleAndThatMuchWorks) {
  Problem problem = LayeredProblem(4, 3, 8, 1);
  const MinimumPeakResult least = MinimumPeak(problem, {}).value();
  ASSERT_TRUE(least.feasible);
  EXPECT_EQ(least.peak, least.bound);
  problem.usage_limit = least.peak;
  const SolveResult tight = SolveBy("auto", problem);
  EXPECT_EQ(tight.status, SolveStatus::kOptimal);
  EXPECT_EQ(tight.peak, least.peak);
  problem.usage_limit = least.peak - 1;
  const SolveResult none = SolveBy("auto", problem);
  EXPECT_EQ(none.status, SolveStatus::kInfeasible);
  EXPECT_EQ(none.peak_bound, least.peak);
}

}  // namespace
}  // namespace metadist
