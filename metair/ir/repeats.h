// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"

namespace metadist {

// `count` equal blocks of `period` consecutive nodes, starting at node `first`.
struct Repeat {
  NodeId first = 0;
  int period = 0;
  int count = 0;
  bool operator==(const Repeat&) const = default;
};

// The repeated layers of a graph: disjoint runs of blocks with equal signatures. Corresponding
// nodes read corresponding results (at the same distance), or the same value, or a parameter or
// constant of their own. Greedy: most nodes first, shorter period at a tie. signatures: one number
// per node, equal for nodes with equal strategies. The periods of large graphs are guessed from
// their signatures (repeats.cc).
std::vector<Repeat> FindRepeats(const Graph& graph, const std::vector<int>& signatures);

// For every node, the corresponding node of the first block; itself if it repeats none.
std::vector<NodeId> LeadersOf(const Graph& graph, const std::vector<Repeat>& repeats);

}  // namespace metadist
