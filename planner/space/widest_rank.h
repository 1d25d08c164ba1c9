// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metair/spmd/mesh.h"
#include "planner/space/call_layout.h"

namespace metadist {

// The rank that computes most: the first, but along dims with a halo that of the second piece,
// which has neighbours on both sides if any has.
int64_t WidestRank(const CallLayout& layout, const Mesh& mesh);

}  // namespace metadist
