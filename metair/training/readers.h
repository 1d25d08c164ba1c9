// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"

namespace metadist {

// What kinds of operators read a value.
struct Readers {
  bool all_elementwise = true;  // or what they make is like the value: data to scatter into
  bool all_products = true;     // matrix products; false for outputs of the graph
  bool any_product = false;
};

// uses: those of one value. The graph has types.
Readers ReadersOf(const Graph& graph, const std::vector<Use>& uses, const OpTable& ops);

}  // namespace metadist
