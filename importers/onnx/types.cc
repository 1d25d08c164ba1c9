// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/types.h"

#include <onnx/onnx_pb.h>

namespace metadist {

std::string OnnxTypeName(int32_t data_type) {
  if (onnx::TensorProto::DataType_IsValid(data_type))
    return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(data_type));
  return std::to_string(data_type);
}

}  // namespace metadist
