// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"

namespace metadist::cli {

// FLOPs and bytes of a node's call; zero for an unknown operator.
Work WorkOfNode(const OpTable& ops, const Graph& graph, const Node& node);

}  // namespace metadist::cli
