// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace metadist {

// Maximum nesting depth of graphs and types in an ONNX file, as far as its bytes can be parsed; 1 =
// no body and no nested type. Reads bytes rather than messages: the parser stops at a nesting of a
// hundred messages without giving that reason. Linear, no recursion. Source: protobuf encoding;
// onnx.proto.
int NestingOf(std::span<const std::byte> bytes);

}  // namespace metadist
