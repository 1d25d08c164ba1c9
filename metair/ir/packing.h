// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "metair/ir/shape.h"

// Elements of 4 and 2 bits, several in a byte as ONNX files have them: the first in the low bits,
// and the rest of the last byte 0. Everything else is packed already.
namespace metadist {

// Bytes of an array of this type, packed. Its sizes are known.
int64_t PackedBytes(const TensorType& type);

// type: of fewer than 8 bits. from: one element in each of type.bytes(). to: PackedBytes(type).
void Pack(const TensorType& type, const std::byte* from, std::byte* to);
// The inverse.
void Unpack(const TensorType& type, const std::byte* from, std::byte* to);

}  // namespace metadist
