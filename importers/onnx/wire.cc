// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/wire.h"

namespace metadist {
namespace {

constexpr uint64_t kGraphField = 7;
constexpr int kVarint = 0;
constexpr int kBytes = 2;

// Wire type of a field of ModelProto; -1 for an unknown field number.
int WireType(uint64_t field) {
  switch (field) {
    case 1:  // ir_version
    case 5:  // model_version
      return kVarint;
    case 2:   // producer_name
    case 3:   // producer_version
    case 4:   // domain
    case 6:   // doc_string
    case 7:   // graph
    case 8:   // opset_import
    case 14:  // metadata_props
    case 20:  // training_info
    case 25:  // functions
    case 26:  // configuration
      return kBytes;
    default:
      return -1;
  }
}

}  // namespace

std::optional<uint64_t> ReadVarint(std::span<const std::byte> bytes, size_t* at) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70 && *at < bytes.size(); shift += 7) {
    const uint64_t byte = std::to_integer<uint64_t>(bytes[(*at)++]);
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

OnnxWire ScanOnnx(std::span<const std::byte> bytes) {
  OnnxWire wire;
  size_t at = 0;
  while (at < bytes.size()) {
    const std::optional<uint64_t> tag = ReadVarint(bytes, &at);
    if (!tag || WireType(*tag >> 3) != static_cast<int>(*tag & 7)) {
      // A plausible message whose last tag is truncated.
      wire.truncated = wire.plausible && !tag && at == bytes.size();
      wire.plausible = wire.truncated;
      wire.expected_bytes = static_cast<int64_t>(bytes.size()) + 1;
      return wire;
    }
    const std::optional<uint64_t> value = ReadVarint(bytes, &at);
    wire.plausible = true;
    if ((*tag & 7) == kVarint && value) continue;
    if (*tag >> 3 == kGraphField) wire.has_graph = true;
    constexpr uint64_t kLargest = uint64_t{1} << 40;
    if (!value || *value > bytes.size() - at) {
      wire.truncated = true;
      wire.plausible = value.value_or(0) < kLargest;
      wire.expected_bytes = static_cast<int64_t>(at + value.value_or(1));
      return wire;
    }
    at += static_cast<size_t>(*value);
  }
  return wire;
}

}  // namespace metadist
