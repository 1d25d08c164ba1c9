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

// How an integer of a call follows the pieces of a dim, so that ranks call with integers of their
// own.
struct LocalEntry {
  enum class Kind : uint8_t {
    kSize,       // it is the dim's size; a rank has its local size
    kShifted,    // value + by_start * start + by_end * (end - size), of the rank's piece with the
                 // halo
    kFirstOnly,  // the value where the piece is the dim's first, 0 elsewhere
    kLastOnly,   // the value where the piece is the dim's last, 0 elsewhere
    kIndex,  // it is an index into the dim (below 0: from its end), counted within the piece; the
             // piece's size where it points elsewhere
    kBound,  // it is a place in the dim (from its start) at which what the call takes of it begins
             // or ends; counted within the piece with the halo, at most its nearer end
  };

  DimSharding view = {};  // of the dim; whole: the value stays as it is
  Kind kind = Kind::kSize;
  int64_t by_start = 0;
  int64_t by_end = 0;
  bool operator==(const LocalEntry&) const = default;
};

// Entries that are sizes of these dims.
std::vector<LocalEntry> SizesOf(std::span<const DimSharding> dims);

// The value on the rank at `coordinate`. The entry must be valid.
int64_t LocalValue(const LocalEntry& entry,
                   int64_t value,
                   const Mesh& mesh,
                   const std::vector<int64_t>& coordinate);
// By position; values beyond the entries stay as they are.
std::vector<int64_t> LocalValues(std::vector<int64_t> values,
                                 std::span<const LocalEntry> entries,
                                 const Mesh& mesh,
                                 const std::vector<int64_t>& coordinate);

// Whether pieces have what the kind asks for: all but kSize need a dim cut contiguously, kSize
// parts that make `value`. Errors: kUsage.
Result<void> Validate(const LocalEntry& entry, int64_t value, const Mesh& mesh);

// "[model]": a size, as in a sharding; "[]": the value stays; "{start*1,end*0 of 64[model]}",
// "{first of 64[model]}", "{last of 64[model]}", "{index of 64[model]}", "{bound of 64[model]}".
std::string LocalEntryText(const LocalEntry& entry, const Mesh& mesh);
// The entry at the head of `text`, which is taken off. value: of the integer. Errors: kUsage.
Result<LocalEntry> TakeLocalEntry(std::string_view& text, int64_t value, const Mesh& mesh);

}  // namespace metadist
