// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// By node, and by pass-through of its rule: whether a partial value of that reduction can reach it,
// so that some strategy can use it. Nothing is gained by making values partial only to pass them
// through, and each pass-through adds a strategy: a maximum of hundreds of operands has hundreds.
std::vector<std::vector<bool>> ReachedPasses(const Graph& graph,
                                             const std::vector<const Rule*>& rules);

}  // namespace metadist
