// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace metadist {

// Restrictions on a value besides its type.
struct Integers {
  int64_t least = INT64_MIN;
  int64_t most = INT64_MAX;
};
enum class Reals { kAny, kNotNegative, kPositive };  // all finite
enum class Texts { kAny, kNotEmpty };
struct Words {
  std::vector<std::string_view> all;  // allowed texts
};

// Limits of a format.
struct JsonLimits {
  size_t elements = SIZE_MAX;  // of a list
  size_t text_bytes = SIZE_MAX;
  bool whole_reals = false;  // 1e9 also counts as an integer
};

}  // namespace metadist
