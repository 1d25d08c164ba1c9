// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/mesh.h"
#include "planner/space/formulate.h"

namespace metadist {

// Fills the memory rows of the formulation's problem: local bytes on one rank (counted_rank.h), at
// the times when the lowered program certainly holds them.
void AddMemoryRows(const Graph& graph,
                   const OpTable& ops,
                   const Mesh& mesh,
                   Formulation& formulation);

}  // namespace metadist
