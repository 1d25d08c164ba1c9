// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/solvers/problem/problem.h"

// What every solver is told and what it answers.
namespace metadist {

enum class SolveStatus {
  kOptimal,     // proven: no feasible choice is cheaper
  kGap,         // feasible, and the bound below it is proven
  kHeuristic,   // feasible, no useful bound was asked for or found
  kInfeasible,  // proven: no choice satisfies ties, forbidden pairs and the limit
  kNoPlan,      // a limit or an interrupt came before any feasible choice
};

// "optimal", "gap", "heuristic", "infeasible", "no plan".
std::string_view SolveStatusName(SolveStatus status);
// What ended a run before a proof (SolveResult::stopped_by), as a clause behind a status: ",
// stopped by the time limit", ", because CBC crashed"; "" if nothing did.
std::string StopText(std::string_view stopped_by);

// Told after each improvement and at the end of each phase. Seconds since the start.
struct SolveProgress {
  std::string_view phase;
  double seconds = 0;
  bool has_choice = false;
  int64_t cost = 0;
  int64_t bound = 0;
  // Strategies deleted so far.
  int64_t deletions = 0;
  // The best choice so far, of the problem as given; valid during the call only. Null if there is
  // none, or the solver does not say.
  const Choice* choice = nullptr;
};

inline constexpr int64_t kWorkPerSecond = 200'000'000;

// Without a time limit, the result depends on problem, seed, work limit, gap, cutoff and initial
// choice only.
struct SolveOptions {
  uint64_t seed = 0;
  // 0: none. A time limit that strikes makes the result depend on the machine (stopped_by says so).
  double time_limit_seconds = 0;
  // 0: none. In work units, repeatable on every machine: about one table entry touched each, CBC's
  // effort by its simplex iterations. kWorkPerSecond of them take about a second of one core.
  int64_t work_limit = 0;
  // Stop when cost - bound <= gap * |cost|.
  double gap = 0;
  // Only choices that cost less are wanted, as others are known elsewhere: the run may stop
  // ("cutoff") when it has proven that there are none.
  std::optional<int64_t> cutoff = {};
  int threads = 1;
  std::function<void(const SolveProgress&)> progress = {};
  // Polled; set by another thread or a signal handler to stop with the best choice so far.
  const std::atomic<bool>* interrupted = nullptr;
  // Empty, or a choice to start from; used if it is feasible.
  Choice initial = {};
};

// Sizes after exact reduction: nodes with two strategies or more, edges between them, and the
// entries of their matrices.
struct ReducedSize {
  int64_t nodes = 0;
  int64_t edges = 0;
  int64_t entries = 0;
};

struct SolveResult {
  SolveStatus status = SolveStatus::kNoPlan;
  // Empty for kInfeasible and kNoPlan; else feasible, with its cost and peak by Evaluate.
  Choice choice;
  int64_t cost = 0;
  int64_t peak = 0;
  // <= the cost of every feasible choice. Meaningless for kInfeasible and kHeuristic.
  int64_t bound = 0;
  // The bound, or the proof of optimality, rests on the tolerances of CBC (about 1e-9 relative),
  // not on integer arithmetic alone.
  bool by_tolerance = false;
  // "" or "time", "work", "gap", "cutoff", "interrupt", "size" (the rest is too big for branch and
  // bound), "crash" (of CBC, which was to do it): what ended the run before a proof.
  std::string_view stopped_by;
  // Phases in order, with their wall seconds.
  std::vector<std::pair<std::string_view, double>> seconds;
  ReducedSize reduced;
  // Strategies deleted by reduction and by reduced costs.
  int64_t deletions = 0;
  int64_t work = 0;
  // For kInfeasible because of the limit: no choice has a smaller peak than this (0: the forbidden
  // pairs alone leave no choice). MinimumPeak finds the smallest limit that works.
  int64_t peak_bound = 0;
};

}  // namespace metadist
