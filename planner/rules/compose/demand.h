// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "metair/ir/graph.h"
#include "planner/rules/compose/propagation.h"
#include "planner/rules/factor/rule.h"

namespace metadist {

// Inputs of the graph that `way` leaves uncut although every use of them takes the same piece, with
// that piece, by position among graph.inputs. If these are cut as well, `way` still holds, and
// ranks store less.
std::map<int, Cut> Demanded(const Graph& graph,
                            const std::vector<const Rule*>& rules,
                            const Propagated& way);

// Divides nodes that every rank runs whole so that they make only the piece that all their users
// take: an array of zeros to write to, a transposed weight. The outputs stay the same.
void MakePieces(const Graph& graph, const std::vector<const Rule*>& rules, Propagated& way);

}  // namespace metadist
