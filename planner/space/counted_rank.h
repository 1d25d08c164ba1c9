// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/spmd/mesh.h"
#include "planner/space/formulate.h"

namespace metadist {

bool HasHalo(const Sharding& sharding);

// Ranks of which one holds most: the first, which has the larger pieces where a size does not
// divide; where there are halos all with the first or second piece along every axis, as the second
// has neighbours on both sides.
std::vector<int64_t> FullRanks(const Mesh& mesh, bool halos);

// The one rank whose bytes the memory rows of a problem count, by its strategies and candidates.
int64_t CountedRank(const Graph& graph, const Mesh& mesh, const Formulation& formulation);

// Bytes of a value on a rank, partial sums as they are held; 0 if its shape is known at run time
// only, as the arena has none of it.
int64_t LocalBytes(const TensorType& type,
                   const Sharding& sharding,
                   const Mesh& mesh,
                   int64_t rank);

}  // namespace metadist
