// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// By node, and by pass-through of its rule: whether a partial value of that reduction can reach it,
// so that some strategy has a use for it. Nothing gains from values that are made partial only to
// pass: of a maximum with hundreds of operands each would be one more way to run it.
// rules: by node.
std::vector<std::vector<bool>> ReachedPasses(const Graph& graph,
                                             const std::vector<const Rule*>& rules);

}  // namespace metadist
