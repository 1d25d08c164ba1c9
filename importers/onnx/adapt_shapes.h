// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

namespace metadist {

// Adds the types that the library infers, as far as it can.
void InferShapes(onnx::ModelProto* proto);

}  // namespace metadist
