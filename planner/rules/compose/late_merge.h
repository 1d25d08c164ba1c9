// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/ops/op_table.h"
#include "planner/rules/compose/piece_graph.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// A composite factor of a call with exchanges where the decomposition needs them.
struct EagerWay {
  const OpTable& ops;
  const OpCall& call;
  const Graph& graph;                         // the call's decomposition
  const std::vector<const Factor*>& factors;  // by node of the decomposition
  const InnerUse& use;
  int64_t groups = 1;  // of the factor
};

// The names of late merges that may be possible (InnerUse::recipe).
std::vector<std::string> LateMergesOf(const InnerUse& use);

// The graph with two exchanges combined into one, after all work that ranks can do alone. Errors:
// kBadInput if there is no such merge.
Result<PieceGraph> BuildLate(const std::string& name, const EagerWay& way, int64_t ranks);

}  // namespace metadist
