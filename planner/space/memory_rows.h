// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"
#include "metair/spmd/mesh.h"
#include "planner/space/formulate.h"

namespace metadist {

// Where the decisions about a value stand among the problem's nodes; -1: there is none.
struct ValueDecisions {
  std::vector<int> of_value;   // stored or kept, by value
  std::vector<int> of_output;  // by output position
};

// Fills the memory rows of the formulation's problem: local bytes on one rank (counted_rank.h) over
// the times during which the lowered program certainly holds them.
void AddMemoryRows(const Graph& graph,
                   const OpTable& ops,
                   const Mesh& mesh,
                   const ValueDecisions& decisions,
                   Formulation& formulation);

}  // namespace metadist
