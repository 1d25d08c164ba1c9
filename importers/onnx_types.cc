// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx_types.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace metadist {

std::optional<ElementType> FromOnnxType(int32_t data_type) {
  using Proto = onnx::TensorProto;
  switch (data_type) {
    case Proto::DOUBLE:
      return ElementType::kF64;
    case Proto::FLOAT:
      return ElementType::kF32;
    case Proto::FLOAT16:
      return ElementType::kF16;
    case Proto::BFLOAT16:
      return ElementType::kBF16;
    case Proto::INT8:
      return ElementType::kI8;
    case Proto::INT16:
      return ElementType::kI16;
    case Proto::INT32:
      return ElementType::kI32;
    case Proto::INT64:
      return ElementType::kI64;
    case Proto::UINT8:
      return ElementType::kU8;
    case Proto::UINT16:
      return ElementType::kU16;
    case Proto::UINT32:
      return ElementType::kU32;
    case Proto::UINT64:
      return ElementType::kU64;
    case Proto::BOOL:
      return ElementType::kBool;
    default:
      return std::nullopt;
  }
}

std::string OnnxTypeName(int32_t data_type) {
  if (onnx::TensorProto::DataType_IsValid(data_type))
    return onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(data_type));
  return fmt::format("type {}", data_type);
}

}  // namespace metadist
