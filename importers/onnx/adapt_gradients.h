// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ops/op_table.h"

namespace metadist {

// ONNX's operator Gradient of training: the partial derivatives of the value named by its attribute
// y, summed over y's elements, by those named by xs. Its inputs are the values named by xs and zs.

bool IsGradient(const Node& node);

// The name of y. inputs: the names of the node's inputs. results: how many it has. Errors:
// kBadInput if these are other values than those that the attributes name, which would mean the
// gradient somewhere else.
Result<std::string> DifferentiatedBy(const Node& node,
                                     const std::vector<std::string>& inputs,
                                     size_t results);

// Types of the results; the node's last input is y.
Result<std::vector<TensorType>> InferGradient(const Graph& graph, const Node& node);

// Writes out every Gradient whose last input is y. graph: typed. Errors: kBadInput with the nodes
// that cannot be differentiated.
Result<Graph> WithGradients(const Graph& graph, const OpTable& ops);

}  // namespace metadist
