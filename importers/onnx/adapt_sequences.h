// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include "importers/onnx/model.h"

namespace metadist {

// Replaces every sequence and optional value of a normalised model by the tensors that it holds. An
// output that is a sequence becomes one output for each tensor: y.0, y.1, ...
// Errors: kBadInput where what a sequence holds depends on elements of inputs, where a position is
// outside of a sequence, or where expansion makes too many nodes; all problems joined.
Result<void> ExpandSequences(OnnxModel* model, ExternalData* external, const OpTable& ops);

}  // namespace metadist
