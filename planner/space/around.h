// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/space/strategies.h"

namespace metadist {

// The work a rank does around a node's call to account for where its pieces begin: indices are
// counted from the start of its piece, and elements made beyond the piece are dropped.
//
// The node that counts an index input from the start of the piece; its integers differ from rank to
// rank. `made` is the value it makes.
Node CountingNode(const CountedInput& counted, std::string name, ValueId indices, ValueId made);
std::vector<LocalLiteral> CountingLiterals(const CountedInput& counted);

// Seconds of this extra work on the rank with the largest pieces.
Priced AroundPrice(const StrategySpace& space, const Node& node, const Strategy& strategy);

}  // namespace metadist
