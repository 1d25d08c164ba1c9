// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metair/ir/graph.h"

// A step of several micro-batches runs the graph for one after the other. Sums (StatePair::sums)
// collect what the micro-batches contribute; what is computed from the sums, new values of states
// above all, is computed once.
namespace metadist {

// By node: whether it runs only for the last micro-batch, since it is needed neither by a sum nor
// by an output of single micro-batches: one that replaces no state and depends on no sum. Without
// sums, no node does.
std::vector<bool> NodesRunOnce(const Graph& graph);

// Inputs that hold all micro-batches, one behind the other along dim 0, when they are given to a
// step: those with a dim that are not carried from step to step.
std::vector<ValueId> BatchedInputs(const Graph& graph);

}  // namespace metadist
