// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/run.h"
#include "executor/transfer.h"

namespace metadist {

// The whole tensor of every input, parameter and constant, by value id (others stay empty): what
// the caller gives, else what the graph holds, else random values where the options allow.
// Errors: kBadInput with every value that is missing, unknown or of another type.
Result<std::vector<Tensor>> BindData(const Graph& graph,
                                     const NamedTensors& weights,
                                     const NamedTensors& inputs,
                                     const RunOptions& options);

// The transfers of every collective of the program's stage, by node id and rank.
Result<std::vector<std::vector<Transfer>>> PlanAllTransfers(const Program& program);

}  // namespace metadist
