// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "metair/ir/graph.h"
#include "planner/rules/compose/propagation.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// Inputs of the graph that a way leaves whole although every use of them takes the same piece, with
// that piece: by position among graph.inputs. With those cut as well the way holds as before, and
// ranks store less.
std::map<int, Cut> Demanded(const Graph& graph,
                            const std::vector<const Rule*>& rules,
                            const Propagated& way);

// Lets nodes that ran whole make no more than the piece that all who read them take: an array of
// zeros to write to, a weight that is transposed. What the way makes stays the same.
void MakePieces(const Graph& graph, const std::vector<const Rule*>& rules, Propagated& way);

}  // namespace metadist
