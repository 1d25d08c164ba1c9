// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metair/ir/graph.h"

// Collectives that overlap nodes run in order on a stream of their own: each begins when all nodes
// before it are done, and runs beside the nodes after it.
namespace metadist {

// By node: for a collective that overlaps, the node that must not begin before it is done (the
// number of nodes if none has to wait); kNone for others. A node waits that reads what the
// collective makes, that replaces a state which the collective reads, or that is a collective
// without overlap; and as the stream keeps its order, waiting for a collective is waiting for all
// before it. roots: by value, the value whose bytes it shares.
std::vector<NodeId> DoneBefore(const Graph& graph, std::span<const ValueId> roots);

}  // namespace metadist
