// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ops/op_def.h"

namespace metadist {

// Text that is equal for two nodes exactly if their strategies are: operator, attributes, types of
// all inputs and outputs, and the elements of constant inputs that are small or that inference
// needs, except the key of random numbers. Names are ignored. op: the node's operator; nullptr:
// unknown.
std::string SignatureOf(const Graph& graph, const Node& node, const OpDef* op);

}  // namespace metadist
