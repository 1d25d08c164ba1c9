// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/shape.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// All even shardings of an array over whole mesh axes, in any order.
std::vector<Sharding> AllShardings(const Shape& shape, const Mesh& mesh);

}  // namespace metadist
