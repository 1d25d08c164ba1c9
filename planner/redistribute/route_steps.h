// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/spmd/collective.h"
#include "planner/redistribute/route_problem.h"

namespace metadist {

// The moves of a route as steps between shardings, which chain from one end to the other. A permute
// takes place among all ranks that differ along the axes that change their place.
std::vector<CollectiveStep> StepsOf(const RouteProblem& problem, const std::vector<Move>& moves);

// The step that adds the halos of `to` to an array placed like it without them.
CollectiveStep HaloStep(const Sharding& to);

// The local step that adds the spare elements of `to` to an array placed like it without them,
// and the one that drops those of `from` and its halos.
CollectiveStep SpareStep(const Sharding& to);
CollectiveStep DropStep(const Sharding& from);

}  // namespace metadist
