// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/mesh.h"
#include "planner/space/formulate.h"

namespace metadist {

// Ranks one of which holds most: the first, which has the larger pieces if a size does not divide;
// with halos, all ranks that have the first or second piece along every axis, as the second piece
// has neighbours on both sides.
std::vector<int64_t> FullRanks(const Mesh& mesh, bool halos);

// The rank whose bytes the memory rows of a problem count, given its strategies and candidates.
int64_t CountedRank(const Graph& graph, const Mesh& mesh, const Formulation& formulation);

// Bytes of a value on a rank, with partial sums in the type they are held in; 0 if its shape is
// known at run time only, as such a value is not in the arena.
int64_t LocalBytes(const TensorType& type,
                   const Sharding& sharding,
                   const Mesh& mesh,
                   int64_t rank);

}  // namespace metadist
