// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "metair/ir/element_type.h"
#include "profiles/cost.h"
#include "profiles/profile.h"

namespace metadist {

// One measured communicator with its rows by bytes.
struct CollectiveRows {
  const CollectiveKey* key = nullptr;
  const Series* series = nullptr;
};

// The rows of `op` whose key pleases `accept`, at most one per number of (ranks, nodes, ranks per
// node, concurrent groups): the one nearest to `dtype` (same, same width, any) and to `strided`.
// In the order of their keys.
std::vector<CollectiveRows> FindCollectives(
    const Profile& profile,
    Collective op,
    ElementType dtype,
    bool strided,
    const std::function<bool(const CollectiveKey&)>& accept);

// The collective on a cluster whose ranks are threads of one machine (cpu_collective_cost.cc).
Priced CpuCollectiveSeconds(
    const Cluster& cluster, Collective op, const Group& group, int64_t bytes, ElementType dtype);

// The collective on devices with links and a network (gpu_collective_cost.cc).
Priced GpuCollectiveSeconds(
    const Cluster& cluster, Collective op, const Group& group, int64_t bytes, ElementType dtype);

}  // namespace metadist
