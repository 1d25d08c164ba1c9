// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"
#include "metair/spmd/program.h"
#include "planner/space/assignment.h"
#include "planner/space/redistribution.h"

namespace metadist {

// The program of one stage over all ranks of the mesh. Values of `graph` keep their ids, and values
// and nodes their names; copies made by redistributions are named `v@[x][]`, but a copy that is a
// graph output takes the output's name. A collective comes right after its producer or right before
// its user, as the redistribution says. Consecutive elementwise nodes are fused. Errors: kInternal
// if redistributions do not chain to what the nodes take.
Result<Program> Lower(const Graph& graph,
                      const Mesh& mesh,
                      const Assignment& assignment,
                      std::span<const Redistribution> redistributions);

}  // namespace metadist
