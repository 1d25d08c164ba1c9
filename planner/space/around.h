// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/space/strategies.h"

namespace metadist {

// What a rank does around a node's call because its pieces have a place: indices counted from
// their start, elements dropped that were made beyond them.
//
// The node that counts an index input, with integers of its own on every rank; `counted` is the
// value it makes.
Node CountingNode(const CountedInput& counted, std::string name, ValueId indices, ValueId made);
std::vector<LocalLiteral> CountingLiterals(const CountedInput& counted);

// Seconds of all that on the rank with the largest pieces.
Priced AroundPrice(const StrategySpace& space, const Node& node, const Strategy& strategy);

}  // namespace metadist
