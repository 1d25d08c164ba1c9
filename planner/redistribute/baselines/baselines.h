// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/redistribute/route_problem.h"

// Routes as other systems plan them, implemented from descriptions of their methods, for
// comparison. None observes the memory bound. nullopt also if a method would leave uneven pieces
// and the problem forbids them.
namespace metadist {

// XLA's partitioner for GSPMD (openxla/xla, spmd_partitioner.cc): a list of patterns, first match,
// else gather everything and slice.
Moves XlaRoute(const RouteProblem& problem);

// The same with the patterns it gained later, which go through another sharding, such as the one
// that moves a dim's tiles to another dim.
Moves LaterXlaRoute(const RouteProblem& problem);

// PyTorch DTensor's greedy walk over whole mesh axes (torch.distributed.tensor, _redistribute.py).
// nullopt if an end cuts by less than a whole axis or in an order that placements cannot express.
Moves DtensorGreedyRoute(const RouteProblem& problem);

// PyTorch DTensor's shortest path over placements, one whole mesh axis per step.
Moves DtensorGraphRoute(const RouteProblem& problem);

// Shardy's reshard-to-collectives pass.
Moves ShardyRoute(const RouteProblem& problem);

}  // namespace metadist
