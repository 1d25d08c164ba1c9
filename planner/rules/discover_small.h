// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/black_box.h"
#include "planner/rules/discover.h"

namespace metadist {

// Discovery on a call whose box.values() are small already. Depends on those values and the seed
// alone.
Discovered DiscoverSmall(BlackBox& box, const DiscoveryOptions& options);

}  // namespace metadist
