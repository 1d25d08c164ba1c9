// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"

namespace metadist {

// Whether a float of one element, or of several along one dim, is taken for a constant of the
// model, not for weights: all its numbers are such as people write or libraries compute (short
// decimals, roots or fractions of integers, with or without pi, logarithms of 2 and 10, numbers
// beyond all weights). A single number of few bits is a constant, too: they do not tell.
// Weights they are all the same if an operator that is not elementwise reads them beside
// parameters, if they are as initialised - several numbers that are equal, or 0 and 1 - or a single
// bias of rank 1 or more at its start, where adding 0 does nothing.
//
// uses: those of the value. Types of computed values are not needed.
bool IsWrittenConstant(const Graph& graph,
                       ValueId value,
                       const std::vector<Use>& uses,
                       const OpTable& ops);

// The constants of a model that are parameters when it is trained: floats which an operator reads
// where weights may be (OpDef::untrained), of several elements, or of one that is no written
// constant or whose name fits a pattern other than * (see TrainedParameters). In value order.
std::vector<ValueId> SmallWeights(const Graph& graph,
                                  const std::vector<std::string>& patterns,
                                  const OpTable& ops);

}  // namespace metadist
