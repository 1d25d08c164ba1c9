// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metair/ir/result.h"
#include "metair/ops/graph_builder.h"

namespace metadist {

// The loss of a model, a scalar float, as one of:
//   ""                              the only output that is a scalar float
//   NAME                            an output
//   mse:OUTPUT[,TARGET]             the mean squared difference
//   cross_entropy:OUTPUT[,LABELS]   of unnormalised scores by class: along the last dim, or along
//                                   dim 1 if labels that the model has lack that one; label -100
//                                   is ignored, others that are no class count with a loss of 0
// TARGET and LABELS name an input of the model, or a new one (default `target` and `labels`).
// Errors: kUsage.
Result<ValueId> AddLoss(GraphBuilder& b, const std::string& loss);

}  // namespace metadist
