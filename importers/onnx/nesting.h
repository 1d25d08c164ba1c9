// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace metadist {

// How many graphs and types an ONNX file holds inside each other at most, as far as its bytes can
// be read as such; 1 = no body and no nested type. Reads bytes rather than messages: the parser
// stops at a hundred messages inside each other and does not say that this is why. Linear, no
// recursion. Source: protobuf encoding; onnx.proto.
int NestingOf(std::span<const std::byte> bytes);

}  // namespace metadist
