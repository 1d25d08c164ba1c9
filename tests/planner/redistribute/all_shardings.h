// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// All shardings of an array over whole axes of the mesh, in any order, that divide it.
std::vector<Sharding> AllShardings(const Shape& shape, const Mesh& mesh);

}  // namespace metadist
