// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "metair/ir/result.h"
#include "metair/spmd/program.h"

namespace metadist {

// Puts the nodes in this order: order[i] becomes node i. Groups of fused nodes must stay together.
void Reorder(Stage& stage, std::span<const NodeId> order);

// Puts the nodes in this order, and lets all collectives overlap nodes. Errors: kBadInput if it is
// no order of the nodes, a node comes before one that it reads, or bundles and fused nodes are torn
// apart.
Result<void> OverlapInOrder(Stage& stage, std::span<const NodeId> order);

}  // namespace metadist
