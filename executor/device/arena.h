// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/spmd/buffer_plan.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// The largest part of the arena in which no buffer is live while the node runs.
Interval LargestGap(const BufferPlan& plan, NodeId node);

// Extends the lifetime of a value's buffer to the end of node `last`, if no other buffer uses that
// memory until then. Otherwise returns false and does nothing.
bool ExtendLifetime(BufferPlan& plan, ValueId value, NodeId last);

}  // namespace metadist
