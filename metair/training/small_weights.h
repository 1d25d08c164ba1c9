// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metair/ir/graph.h"
#include "metair/ops/op_table.h"

namespace metadist {

// Whether floats of one element, or of several along one dim, are taken for a constant of the model
// rather than for weights: all are numbers that people write or libraries compute (short decimals,
// roots and fractions of integers, with or without pi, logarithms of 2 and 10, numbers beyond all
// weights). Of a single number of 16 bits or fewer this cannot be told; it is taken for a constant.
//
// Such numbers are weights nevertheless
// * if an operator that is not elementwise reads them beside other weights,
// * if there are several, and they are as layers start: all equal, or zeros and ones,
// * if there is one, of rank 1 or more, and it is a bias as layers start: 0, added to something.
//
// uses: those of the value. Types of computed values are not needed.
bool IsWrittenConstant(const Graph& graph,
                       ValueId value,
                       const std::vector<Use>& uses,
                       const OpTable& ops);

// The constants of a model that are parameters when it is trained, in value order: floats that some
// operator reads where weights may be (OpDef::untrained). Of single numbers, those that are no
// written constants, and those whose names fit a pattern other than * (see TrainedParameters).
std::vector<ValueId> SmallWeights(const Graph& graph,
                                  const std::vector<std::string>& patterns,
                                  const OpTable& ops);

}  // namespace metadist
