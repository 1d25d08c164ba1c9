// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/graph.h"
#include "planner/rules/factor/rule.h"
#include "planner/space/block_cyclic.h"

namespace metadist {

// For every node, the block-cyclic layouts in which its factors may take their groups so that
// layouts that other nodes take or make pass through it unchanged; ascending. Depends only on
// graph, rules and ranks.
//
// rules: by node; nullptr for none. ranks: of the mesh.
std::vector<std::vector<BlockCyclicFactor>> SpreadBlockCyclic(const Graph& graph,
                                                              const std::vector<const Rule*>& rules,
                                                              int64_t ranks);

}  // namespace metadist
