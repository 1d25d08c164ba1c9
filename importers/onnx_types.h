// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "metair/ir/element_type.h"

namespace metadist {

// TensorProto.DataType to ElementType; nothing for types that metadist has not (strings, complex,
// 8-bit floats, 4-bit integers).
std::optional<ElementType> FromOnnxType(int32_t data_type);
// "FLOAT8E4M3FN", or "type 99".
std::string OnnxTypeName(int32_t data_type);

}  // namespace metadist
