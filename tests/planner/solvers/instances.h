// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/problem/problem.h"

namespace metadist {

// The properties of a RandomProblem.
struct InstanceShape {
  int least_nodes = 1;
  int most_nodes = 6;
  int most_strategies = 4;
  // Shares: forbidden entries, edges that determine one end by the other, and tied nodes.
  double forbidden = 0.15;
  double followers = 0.2;
  double ties = 0.1;
  // Maximum number of edges per node.
  int most_edges = 2;
  // Share of nodes whose cheap strategies use much memory.
  double trade = 0;
  bool limit = true;
  // Cost entries are in [-10, largest_cost] times cost_unit.
  int64_t largest_cost = 30;
  int64_t cost_unit = 1;
  // Usages are in [0, 9] times this.
  int64_t usage_unit = 1;
  // Nodes are drawn until the number of choices would exceed this.
  int64_t most_choices = 1'000'000;
};

// A small instance with parallel, reversed, self-cancelling and negative entries, several memory
// rows per node and empty intervals. Same seed, same instance.
Problem RandomProblem(uint64_t seed, const InstanceShape& shape);

// A chain of `layers` blocks similar to a transformer's: per block about ten nodes with up to
// `strategies` strategies, residual connections, one value used three times, weights with memory
// over the whole run, and redistribution costs between layouts. limit_factor: ratio of the limit to
// the least peak that the rows allow; 0: no limit.
Problem LayeredProblem(uint64_t seed, int layers, int strategies, double limit_factor);

// A grid of decisions in row order, each linked to its neighbours, and as many dependent nodes;
// values are live for two rows. limit_factor as above. Costs differ from node to node; with a
// period, costs and memory repeat those of the decision that many nodes before, and only edges
// differ: the limit is as tight in a long problem as in a short one.
Problem GridProblem(
    uint64_t seed, int rows, int columns, int strategies, double limit_factor, int period = 0);

// The same on a random tree with short branches.
Problem TreeProblem(uint64_t seed, int nodes, int strategies, double limit_factor, int period = 0);

}  // namespace metadist
