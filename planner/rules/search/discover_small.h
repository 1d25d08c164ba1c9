// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/rules/probe/black_box.h"
#include "planner/rules/search/discover.h"

namespace metadist {

// Discovery on a call whose box.values() are already small. Depends only on those values and the
// seed. real: the call that it replaces, if any; if that is not a larger form of it (SolveAtoms),
// nothing is tested and the result has only a reason.
SymbolicRule DiscoverSmall(BlackBox& box,
                           const DiscoveryOptions& options,
                           const BlackBox* real = nullptr);

// The rule for a call whose operator's code misbehaved: no factors, with box.fault() as reason.
SymbolicRule NoneFor(const BlackBox& box);

}  // namespace metadist
