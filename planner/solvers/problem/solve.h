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

// The input and output of every solver.
namespace metadist {

enum class SolveStatus {
  kOptimal,     // proven: no feasible choice is cheaper
  kGap,         // feasible, with a proven bound below its cost
  kHeuristic,   // feasible; no useful bound was requested or found
  kInfeasible,  // proven: no choice satisfies ties, forbidden pairs and the limit
  kNoPlan,      // a limit or an interrupt ended the run before a feasible choice was found
};

// "optimal", "gap", "heuristic", "infeasible", "no plan".
std::string_view SolveStatusName(SolveStatus status);
// The reason why a run ended before a proof (SolveResult::stopped_by), as a clause that follows a
// status: ", stopped by the time limit", ", because CBC crashed"; "" if it did not.
std::string StopText(std::string_view stopped_by);

// Reported after each improvement and at the end of each phase. Seconds since the start.
struct SolveProgress {
  std::string_view phase;
  double seconds = 0;
  bool has_choice = false;
  int64_t cost = 0;
  int64_t bound = 0;
  // Strategies deleted so far.
  int64_t deletions = 0;
  // The best choice so far, for the problem as given; valid only during the call. Null if there is
  // none, or if the solver does not report it.
  const Choice* choice = nullptr;
};

inline constexpr int64_t kWorkPerSecond = 200'000'000;

// Without a time limit, the result depends only on problem, seed, work limit, gap, cutoff and
// initial choice.
struct SolveOptions {
  uint64_t seed = 0;
  // 0: none. If the time limit is reached, the result depends on the machine (see stopped_by).
  double time_limit_seconds = 0;
  // 0: none. In work units, which are reproducible on every machine: about one table entry touched
  // each; CBC's effort is counted by its simplex iterations. One core does about kWorkPerSecond of
  // them per second.
  int64_t work_limit = 0;
  // Stop when cost - bound <= gap * |cost|.
  double gap = 0;
  // Only cheaper choices are of interest, because one of this cost is known elsewhere: the run may
  // stop ("cutoff") when it has proven that no choice is cheaper.
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
  // Empty for kInfeasible and kNoPlan; otherwise feasible, with cost and peak by Evaluate.
  Choice choice;
  int64_t cost = 0;
  int64_t peak = 0;
  // <= the cost of every feasible choice. Meaningless for kInfeasible and kHeuristic.
  int64_t bound = 0;
  // True if the bound, or the proof of optimality, depends on the tolerances of CBC (about 1e-9
  // relative), not only on integer arithmetic.
  bool by_tolerance = false;
  // What ended the run before a proof: "", "time", "work", "gap", "cutoff", "interrupt", "size"
  // (the remaining problem is too big for branch and bound) or "crash" (of CBC, which was solving
  // it).
  std::string_view stopped_by;
  // Phases in order, with their wall seconds.
  std::vector<std::pair<std::string_view, double>> seconds;
  ReducedSize reduced;
  // Strategies deleted by reduction and by reduced costs.
  int64_t deletions = 0;
  int64_t work = 0;
  // For kInfeasible because of the limit: every choice has at least this peak (0: the forbidden
  // pairs alone rule out every choice). MinimumPeak finds the smallest feasible limit.
  int64_t peak_bound = 0;
};

}  // namespace metadist
