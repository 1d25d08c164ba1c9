// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include "importers/arrays/external_data.h"
#include "metair/ir/tensor.h"

namespace metadist {

// The type a TensorProto declares, its dims checked. Errors: kBadInput.
Result<TensorType> TensorTypeOf(const onnx::TensorProto& proto);

// The tensor of a TensorProto: raw bytes, typed fields or external data; the element count is
// checked against the dims. Raw bytes move out of `proto`. Errors: kBadInput.
Result<Tensor> TakeTensor(onnx::TensorProto* proto, ExternalData* external);

}  // namespace metadist
