// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/result.h"
#include "metair/spmd/mesh.h"
#include "metair/spmd/sharding.h"

namespace metadist {

// How an integer argument of a call depends on the piece of a dim that a rank holds, so that each
// rank calls with its own value.
struct LocalEntry {
  enum class Kind : uint8_t {
    kSize,       // the dim's size; a rank uses its local size
    kShifted,    // value + by_start * start + by_end * (end - size), where [start, end) is the
                 // rank's piece including the halo
    kFirstOnly,  // the value if the piece is the first of the dim, else 0
    kLastOnly,   // the value if the piece is the last of the dim, else 0
    kIndex,  // an index into the dim (negative: from its end), made relative to the piece; the size
             // of the piece if the index is outside it
    kBound,  // a position in the dim (from its start) where the range that the call reads begins or
             // ends; made relative to the piece including the halo, and clamped to it
  };

  DimSharding view = {};  // of the dim; whole: the value is unchanged
  Kind kind = Kind::kSize;
  int64_t by_start = 0;
  int64_t by_end = 0;
  bool operator==(const LocalEntry&) const = default;
};

// One kSize entry for each dim.
std::vector<LocalEntry> SizesOf(std::span<const DimSharding> dims);

// The value on the rank at `coordinate`. The entry must be valid.
int64_t LocalValue(const LocalEntry& entry,
                   int64_t value,
                   const Mesh& mesh,
                   const std::vector<int64_t>& coordinate);
// By position; values beyond the last entry are unchanged.
std::vector<int64_t> LocalValues(std::vector<int64_t> values,
                                 std::span<const LocalEntry> entries,
                                 const Mesh& mesh,
                                 const std::vector<int64_t>& coordinate);

// Checks that the view is valid for the kind: kSize needs parts that add up to `value`, all other
// kinds a dim cut contiguously. Errors: kUsage.
Result<void> Validate(const LocalEntry& entry, int64_t value, const Mesh& mesh);

// "[model]": a size, as in a sharding; "[]": unchanged; "{start*1,end*0 of 64[model]}",
// "{first of 64[model]}", "{last of 64[model]}", "{index of 64[model]}", "{bound of 64[model]}".
std::string LocalEntryText(const LocalEntry& entry, const Mesh& mesh);
// Parses the entry at the start of `text` and removes it. value: the integer it applies to. Errors:
// kUsage.
Result<LocalEntry> TakeLocalEntry(std::string_view& text, int64_t value, const Mesh& mesh);

}  // namespace metadist
