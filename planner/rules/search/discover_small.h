// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/probe/black_box.h"
#include "planner/rules/search/discover.h"

namespace metadist {

// Discovery on a call whose box.values() are small already. Depends on those values and the seed
// alone. real: the call for which it stands, if any; where that turns out to be no larger form of
// it (SolveAtoms), nothing is tested and there is a reason only.
SymbolicRule DiscoverSmall(BlackBox& box,
                           const DiscoveryOptions& options,
                           const BlackBox* real = nullptr);

// What is known of a call whose operator's code is at fault (box.fault()): that.
SymbolicRule NoneFor(const BlackBox& box);

}  // namespace metadist
