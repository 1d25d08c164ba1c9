// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include "importers/onnx/model.h"

namespace metadist {

// Replaces every sequence and optional value of a normalised model by its tensors. An output that
// is a sequence becomes one output per tensor: y.0, y.1, ... Errors: kBadInput if the contents of a
// sequence depend on elements of inputs, if a position is out of range, or if expansion creates too
// many nodes; all problems joined.
Result<void> ExpandSequences(OnnxModel* model, ExternalData* external, const OpTable& ops);

}  // namespace metadist
