// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "metair/ir/graph.h"
#include "metair/ir/result.h"

namespace metadist {

// A training step that computes the activations of its first `blocks` blocks (forward_blocks.h) a
// second time, instead of keeping them for the backward pass: it keeps what later blocks read. The
// nodes of a block run again, named `<node>.again`, before the first node of the backward pass that
// reads one of their results. More blocks than there are mean all. Nothing may merge equal nodes
// afterwards.
Graph Recomputed(const Graph& step, int64_t blocks);

// The same for the blocks in TrainingOptions::recompute: none for "none" and "auto", all for
// "full", the first N for a number N, else those with a node, or reading a parameter, whose name
// matches the pattern. Errors: kUsage if no name does.
Result<Graph> Recomputed(const Graph& step, const std::string& blocks);

// Whether a node is one that runs again.
bool RunsAgain(const Node& node);

inline constexpr int64_t kAllBlocks = std::numeric_limits<int64_t>::max();

}  // namespace metadist
