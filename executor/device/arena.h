// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// The largest part of the arena in which nothing lives while the node runs.
Interval LargestGap(const BufferPlan& plan, NodeId node);

// Lengthens the life of a value's buffer to the end of node `last` where nothing else comes to lie
// there until then. False, and nothing happens, where something does.
bool KeepUntil(BufferPlan& plan, ValueId value, NodeId last);

}  // namespace metadist
