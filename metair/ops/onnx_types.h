// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "metair/ir/element_type.h"

namespace metadist {

// ONNX's number of an element type (TensorProto.DataType), as attribute `to` of Cast holds it, and
// back. nullopt for numbers metadist has no element type for (strings, complex, 8- and 4-bit
// floats).
// Source: onnx.proto, message TensorProto, enum DataType.
std::optional<ElementType> ElementTypeOfOnnx(int64_t number);
int64_t OnnxNumberOf(ElementType type);

}  // namespace metadist
