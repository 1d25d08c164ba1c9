// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace metadist {

// ONNX's name of a TensorProto.DataType, for messages: "FLOAT8E4M3FN", or "type 99".
std::string OnnxTypeName(int32_t data_type);

// Hint for elements of an unsupported type.
inline constexpr char kElementTypesHint[] =
    "supported are floats of 4 to 64 bits, integers of 2 to 64, and booleans";

}  // namespace metadist
