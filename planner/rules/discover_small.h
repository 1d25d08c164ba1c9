// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/black_box.h"
#include "planner/rules/discover.h"

namespace metadist {

// Discovery on a call whose box.values() are small already. Depends on those values and the seed
// alone.
Discovered DiscoverSmall(BlackBox& box, const DiscoveryOptions& options);

// What is known of a call whose operator's code is at fault (box.fault()): that.
Discovered NoneFor(const BlackBox& box);

}  // namespace metadist
