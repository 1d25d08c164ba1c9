// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/redistribute/route_problem.h"

// Routes as other systems plan them, written from descriptions of their method; to compare with.
// None heeds the memory bound. nullopt also where a method would leave uneven pieces and the
// problem forbids that.
namespace metadist {

// XLA's partitioner for GSPMD (openxla/xla, spmd_partitioner.cc): a list of patterns, first match,
// else gather everything and slice. later_patterns: also those that go by way of another sharding,
// such as one that moves a dim's tiles into another.
Moves XlaRoute(const RouteProblem& problem, bool later_patterns = false);

// PyTorch DTensor's greedy walk over whole mesh axes (torch.distributed.tensor, _redistribute.py).
// nullopt where an end cuts by less than a whole axis or in an order that placements cannot say.
Moves DtensorGreedyRoute(const RouteProblem& problem);

// PyTorch DTensor's shortest path over placements, one whole mesh axis a step.
Moves DtensorGraphRoute(const RouteProblem& problem);

// Shardy's reshard-to-collectives pass.
Moves ShardyRoute(const RouteProblem& problem);

}  // namespace metadist
