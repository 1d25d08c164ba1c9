// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metair/ops/op_table.h"
#include "planner/rules/compose/piece_graph.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// A composite factor of a call, with every exchange at its place.
struct EagerWay {
  const OpTable& ops;
  const OpCall& call;
  const Graph& graph;                         // its decomposition
  const std::vector<const Factor*>& factors;  // by node of it
  const InnerUse& use;
  int64_t groups = 1;  // of the factor
};

// The late merges that may be possible, by name (InnerUse::recipe).
std::vector<std::string> LateMergesOf(const InnerUse& use);

// The same with two exchanges in one, after all that ranks can do alone. Errors: kBadInput where
// there is no such merge.
Result<PieceGraph> BuildLate(const std::string& name, const EagerWay& way, int64_t ranks);

}  // namespace metadist
