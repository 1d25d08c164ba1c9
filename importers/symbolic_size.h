// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace metadist {

// The value of a symbolic size such as `batch`, `1024*batch` or `floor(seq/2) + 1`: names,
// integers,
// + - * / // % (floor division), parentheses, floor, min, max. Names may hold letters, digits, `_`
// and `.`.
// Nothing if the text is no such expression, a name is not in `sizes`, or the arithmetic overflows
// or divides by zero; names that `sizes` lacks are added to `unbound`.
std::optional<int64_t> EvaluateSize(std::string_view text,
                                    const std::map<std::string, int64_t>& sizes,
                                    std::set<std::string>* unbound);

}  // namespace metadist
