// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "metair/ir/element_type.h"

namespace metadist {

// Converts ONNX's number of an element type (TensorProto.DataType), as in attribute `to` of Cast,
// to an element type and back. nullopt for numbers without an element type in metadist (strings,
// complex numbers).
// Source: onnx.proto, message TensorProto, enum DataType.
std::optional<ElementType> ElementTypeOfOnnx(int64_t number);
int64_t OnnxNumberOf(ElementType type);

}  // namespace metadist
