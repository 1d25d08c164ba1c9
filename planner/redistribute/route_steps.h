// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/spmd/collective.h"
#include "planner/redistribute/route_problem.h"

namespace metadist {

// The moves of a route as steps between shardings, from one end to the other. A permute takes place
// among all ranks that differ along the axes whose placement changes.
std::vector<CollectiveStep> StepsOf(const RouteProblem& problem, const std::vector<Move>& moves);

// The step that adds the halos of `to` to an array with the same sharding without halos.
CollectiveStep HaloStep(const Sharding& to);

// The local step that adds the spare elements of `to` to an array with the same sharding without
// them, and the one that drops the spare elements and halos of `from`.
CollectiveStep SpareStep(const Sharding& to);
CollectiveStep DropStep(const Sharding& from);

}  // namespace metadist
