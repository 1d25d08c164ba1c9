// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/spmd/mesh.h"
#include "profiles/cluster.h"

namespace metadist {

// The meshes that `--mesh auto` tries for the cluster: 1-D, then 2-D and 3-D factorisations whose
// first axes span the nodes.
std::vector<Mesh> MeshesFor(const Cluster& cluster);

}  // namespace metadist
