// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace metadist {

// Properties of the outermost fields of a protobuf message when read as an ONNX ModelProto.
struct OnnxWire {
  bool plausible = false;  // every field read belongs to ModelProto and has its wire type
  bool has_graph = false;
  bool truncated = false;      // a field extends beyond the end
  int64_t expected_bytes = 0;  // if truncated: the least size of the whole file
};

// Walks the outermost fields; constant time for all but tiny messages, nothing is copied.
// Source: protobuf encoding; onnx.proto, message ModelProto.
OnnxWire ScanOnnx(std::span<const std::byte> bytes);

// Reads the protobuf varint at *at and advances it. Nothing at the end of the bytes or after ten
// bytes.
std::optional<uint64_t> ReadVarint(std::span<const std::byte> bytes, size_t* at);

}  // namespace metadist
