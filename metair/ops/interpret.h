// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "metair/ops/op_table.h"

namespace metadist {

// Runs a graph on one device, node by node, with the reference kernels: the oracle of all tests and
// checks. Results are rounded to their types after each node.
//
// inputs: one tensor for each of graph.inputs, of its type. Returns the graph outputs, in order.
// Errors: kBadInput for wrong inputs, absent weights (all are listed) and calls that a kernel
// rejects; kUsage for operators that are not in the table or have no kernel.
Result<std::vector<Tensor>> Interpret(const Graph& graph,
                                      const OpTable& ops,
                                      std::span<const Tensor> inputs);

}  // namespace metadist
