// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/problem/problem.h"

namespace metadist {

// What RandomProblem may put in.
struct InstanceShape {
  int least_nodes = 1;
  int most_nodes = 6;
  int most_strategies = 4;
  // Share of entries that are forbidden, of edges that make a follower, of nodes that are tied.
  double forbidden = 0.15;
  double followers = 0.2;
  double ties = 0.1;
  // Edges are up to this many per node.
  int most_edges = 2;
  // Share of nodes whose cheap strategies use much memory.
  double trade = 0;
  bool limit = true;
  // Cost entries lie in [-10, largest_cost] times cost_unit.
  int64_t largest_cost = 30;
  int64_t cost_unit = 1;
  // Usages lie in [0, 9] times this.
  int64_t usage_unit = 1;
  // Nodes are drawn until the number of choices would exceed this.
  int64_t most_choices = 1'000'000;
};

// A small instance with parallel, reversed, self-cancelling and negative entries, several memory
// rows per node and empty intervals. Same seed, same instance.
Problem RandomProblem(uint64_t seed, const InstanceShape& shape);

// A chain of `layers` blocks like a transformer's: per block about ten nodes with up to
// `strategies` strategies, residual skips, one value used three times, weights with memory over the
// whole run, redistribution costs between layouts. limit_factor: limit over the least peak that the
// rows allow; 0: no limit.
Problem LayeredProblem(uint64_t seed, int layers, int strategies, double limit_factor);

// A grid of decisions in row order, each linked to its neighbours, and as many followers; values
// live for two rows. limit_factor as above. Costs differ from node to node; with a period costs and
// memory are those of the decision so many before, and only edges differ: the limit is as tight in
// a long problem as in a short one.
Problem GridProblem(
    uint64_t seed, int rows, int columns, int strategies, double limit_factor, int period = 0);

// The same on a random tree whose branches are short.
Problem TreeProblem(uint64_t seed, int nodes, int strategies, double limit_factor, int period = 0);

}  // namespace metadist
