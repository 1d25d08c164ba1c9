// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"

namespace metadist {

// The same graph with values numbered in the order of the text form: inputs, parameters and
// constants in their old order, results in node order. Values that are none of these are dropped.
// Requires a verified graph. ids: by old id of a value, its new one, or kNone if it is dropped.
Graph Renumbered(Graph graph, std::vector<ValueId>* ids = nullptr);

}  // namespace metadist
