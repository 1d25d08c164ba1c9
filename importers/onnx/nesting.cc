// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/nesting.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "importers/onnx/wire.h"

namespace metadist {
namespace {

enum class Kind { kModel, kGraph, kFunction, kNode, kAttribute, kValueInfo, kType, kElement };

// Field `field` of a message of kind `from` is a message of kind `to`.
struct Step {
  Kind from;
  uint64_t field;
  Kind to;
};

constexpr std::array kSteps = {
    Step{Kind::kModel, 7, Kind::kGraph},
    Step{Kind::kModel, 25, Kind::kFunction},
    Step{Kind::kFunction, 7, Kind::kNode},
    Step{Kind::kGraph, 1, Kind::kNode},
    Step{Kind::kGraph, 11, Kind::kValueInfo},
    Step{Kind::kGraph, 12, Kind::kValueInfo},
    Step{Kind::kGraph, 13, Kind::kValueInfo},
    Step{Kind::kNode, 5, Kind::kAttribute},
    Step{Kind::kAttribute, 6, Kind::kGraph},
    Step{Kind::kAttribute, 11, Kind::kGraph},
    Step{Kind::kAttribute, 14, Kind::kType},
    Step{Kind::kValueInfo, 2, Kind::kType},
    Step{Kind::kType, 4, Kind::kElement},  // sequence
    Step{Kind::kType, 9, Kind::kElement},  // optional
    Step{Kind::kElement, 1, Kind::kType},
};

struct Open {
  Kind kind;
  size_t end;
  int depth;
};

// Skips the payload of a field that is not a message; false if the bytes are not a valid field.
bool Skip(std::span<const std::byte> bytes, uint64_t wire_type, size_t* at) {
  constexpr uint64_t kFixed64 = 1;
  constexpr uint64_t kFixed32 = 5;
  if (wire_type == 0) return ReadVarint(bytes, at).has_value();
  if (wire_type == kFixed64) *at += 8;
  if (wire_type == kFixed32) *at += 4;
  return wire_type == kFixed64 || wire_type == kFixed32;
}

}  // namespace

int NestingOf(std::span<const std::byte> bytes) {
  int deepest = 0;
  std::vector<Open> open = {{Kind::kModel, bytes.size(), 0}};
  size_t at = 0;
  while (!open.empty()) {
    const Open now = open.back();
    if (at >= now.end) {
      open.pop_back();
      continue;
    }
    const auto tag = ReadVarint(bytes, &at);
    if (!tag) return deepest;
    if ((*tag & 7) != 2) {
      if (!Skip(bytes, *tag & 7, &at)) return deepest;
      continue;
    }
    const auto size = ReadVarint(bytes, &at);
    if (!size || at > now.end || *size > now.end - at) return deepest;
    const size_t end = at + static_cast<size_t>(*size);
    const auto* step = std::find_if(kSteps.begin(), kSteps.end(), [&](const Step& s) {
      return s.from == now.kind && s.field == *tag >> 3;
    });
    if (step == kSteps.end()) {
      at = end;
      continue;
    }
    const bool deeper = step->to == Kind::kGraph || step->to == Kind::kType;
    open.push_back({step->to, end, now.depth + (deeper ? 1 : 0)});
    deepest = std::max(deepest, open.back().depth);
  }
  return deepest;
}

}  // namespace metadist
