// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "metair/ir/element_type.h"
#include "profiles/cost.h"
#include "profiles/profile.h"

namespace metadist {

// One measured communicator and its rows by bytes.
struct CollectiveRows {
  const CollectiveKey* key = nullptr;
  const Series* series = nullptr;
};

// The rows of `op` whose key satisfies `accept`, at most one for each (ranks, nodes, ranks per
// node, concurrent groups): the one closest to `dtype` (same type, same width, any) and to
// `strided`. In the order of their keys.
std::vector<CollectiveRows> FindCollectives(
    const Profile& profile,
    Collective op,
    ElementType dtype,
    bool strided,
    const std::function<bool(const CollectiveKey&)>& accept);

// The price of a collective on a cluster whose ranks are threads of one machine
// (cpu_collective_cost.cc).
Priced CpuCollectiveSeconds(
    const Cluster& cluster, Collective op, const Group& group, int64_t bytes, ElementType dtype);

// The price of a collective on devices with links and a network (gpu_collective_cost.cc).
Priced GpuCollectiveSeconds(
    const Cluster& cluster, Collective op, const Group& group, int64_t bytes, ElementType dtype);

}  // namespace metadist
