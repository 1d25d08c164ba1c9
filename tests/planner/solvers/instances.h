// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "planner/solvers/problem.h"

namespace metadist {

// What RandomProblem may put in.
struct InstanceShape {
  int most_nodes = 6;
  int most_strategies = 4;
  // Share of entries that are forbidden, of edges that make a follower, of nodes that are tied.
  double forbidden = 0.15;
  double followers = 0.2;
  double ties = 0.1;
  bool limit = true;
  // Cost entries lie in [-10, largest_cost].
  int64_t largest_cost = 30;
};

// A small instance with parallel, reversed, self-cancelling and negative entries, several memory
// rows per node and empty intervals. Same seed, same instance.
Problem RandomProblem(uint64_t seed, const InstanceShape& shape);

// A chain of `layers` blocks like a transformer's: per block about ten nodes with up to
// `strategies` strategies, residual skips, one value used three times, weights with memory over the
// whole run, redistribution costs between layouts. limit_factor: limit over the least peak that the
// rows allow; 0: no limit.
Problem LayeredProblem(uint64_t seed, int layers, int strategies, double limit_factor);

// By trying every choice.
struct BruteForce {
  // Absent if nothing is feasible.
  std::optional<int64_t> cost;
  // Ignoring the limit.
  std::optional<int64_t> free_cost;
  std::optional<int64_t> least_peak;
};
BruteForce TryAll(const Problem& problem);

}  // namespace metadist
