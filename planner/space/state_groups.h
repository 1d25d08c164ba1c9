// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "metair/ir/graph.h"

namespace metadist {

// Values that must have one sharding from step to step: an output, and all state that it replaces;
// or from micro-batch to micro-batch: a sum and its new value.
struct StateGroup {
  ValueId output = kNone;
  bool sums = false;
  std::vector<size_t> positions;  // among the graph's outputs, in order; none of sums
  std::vector<ValueId> inputs;    // in the order of their pairs
};

// In the order of their first pairs.
std::vector<StateGroup> StateGroupsOf(const Graph& graph);

}  // namespace metadist
