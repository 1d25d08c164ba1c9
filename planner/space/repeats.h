// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"

namespace metadist {

// `count` blocks of `period` consecutive nodes that are alike, from node `first` on.
struct Repeat {
  NodeId first = 0;
  int period = 0;
  int count = 0;
  bool operator==(const Repeat&) const = default;
};

// The repeated layers of a graph: disjoint runs of blocks with equal signatures in which every
// node reads the same place relative to itself, or the same value, or a parameter or constant of
// its own. Covers greedily: most nodes first, shorter period at a tie.
// signatures: one number per node, equal for nodes with equal strategies.
// Periods of large graphs are guessed from their signatures: repeats.cc.
std::vector<Repeat> FindRepeats(const Graph& graph, const std::vector<int>& signatures);

// For every node the node of the first block that it repeats; itself if it repeats none.
std::vector<NodeId> LeadersOf(const Graph& graph, const std::vector<Repeat>& repeats);

}  // namespace metadist
