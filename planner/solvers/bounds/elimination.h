// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "planner/solvers/problem/problem.h"
#include "planner/solvers/problem/random_numbers.h"
#include "planner/solvers/reduce/reduce.h"

namespace metadist {

// One step of bucket elimination: minimise `node` out, or fix it at its current strategy.
struct EliminationStep {
  int node = 0;
  bool fix = false;
};

struct EliminationPlan {
  std::vector<EliminationStep> steps;
  // Entries of the largest table and of all tables together (saturated at 1e18).
  double largest = 0;
  double total = 0;
};

enum class EliminationRule { kMinDegree, kMinWeight, kMinFill };

// Greedy order by one rule, nothing fixed. sizes: strategies per node; edges: pairs of nodes.
// Gives up (nullopt) once a table exceeds `cap` entries.
std::optional<EliminationPlan> PlanElimination(const std::vector<int>& sizes,
                                               const std::vector<std::pair<int, int>>& edges,
                                               EliminationRule rule,
                                               double cap);

// Random order by least weight; where a table would exceed `cap`, a node of high degree is fixed
// instead.
EliminationPlan PlanConditioned(const std::vector<int>& sizes,
                                const std::vector<std::pair<int, int>>& edges,
                                double cap,
                                Random& random);

// Node and edge costs to be minimised; Cost is int64_t (exact, kInfinite = forbidden) or double.
template <typename Cost>
struct EliminationTask {
  struct Edge {
    int a = 0;
    int b = 0;
    const Cost* costs = nullptr;  // [a][b]; owned by the caller
  };
  std::vector<std::vector<Cost>> unary;
  std::vector<Edge> edges;
};

// Minimises over the eliminated nodes with the fixed ones at `choice`; writes the minimiser to
// `choice` and returns its cost. Ties keep the strategy in `choice`, then the smallest index.
template <typename Cost>
Cost RunElimination(const EliminationTask<Cost>& task, const EliminationPlan& plan, Choice& choice);

// The plan with the least work among those of the greedy rules that fit the caps below; nullopt if
// none fits.
std::optional<EliminationPlan> BestElimination(const Reduced& reduced);

// Optimum of the reduced problem ignoring memory, constant included: nullopt if the tables of every
// rule exceed the caps below. kInfinite if nothing is feasible.
struct ExactOptimum {
  Choice choice;
  int64_t cost = 0;
};
inline constexpr double kLargestTable = 1 << 24;
inline constexpr double kAllTables = 1 << 27;
std::optional<ExactOptimum> MinimizeWithoutMemory(const Reduced& reduced);

}  // namespace metadist
