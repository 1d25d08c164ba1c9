// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "metair/ir/shape.h"

// Elements of 4 and 2 bits, packed several to a byte as in ONNX files: the first in the low bits,
// unused bits of the last byte 0. All other types are stored the same way packed and unpacked.
namespace metadist {

// Packed size in bytes of an array of this type, whose shape must be known.
int64_t PackedBytes(const TensorType& type);

// type: of fewer than 8 bits. from: one element per byte, type.bytes() bytes. to: PackedBytes(type)
// bytes.
void Pack(const TensorType& type, const std::byte* from, std::byte* to);
// The inverse.
void Unpack(const TensorType& type, const std::byte* from, std::byte* to);

}  // namespace metadist
