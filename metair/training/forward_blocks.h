// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"

namespace metadist {

// By node of a training step: whether the loss, its first output, depends on it.
std::vector<bool> ForwardNodes(const Graph& step);

// The forward pass of a training step in blocks of consecutive nodes, in order: its layers, where
// it has some. Few values are live between two blocks. What comes after the last layer is in none.
std::vector<std::vector<NodeId>> ForwardBlocks(const Graph& step);

}  // namespace metadist
