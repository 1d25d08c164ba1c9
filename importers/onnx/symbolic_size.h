// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace metadist {

// The value of a symbolic size such as `batch`, `2*batch + 1` or `floor(seq/2 - 1/2) + 1`, as
// exporters print them with sympy or Python. Names (letters, digits, `_`, `.`), integers, + - * and
// unary minus; `/` is exact, `//` and `%` round down, `**` takes a small power; parentheses; and,
// case-insensitively, floor, ceiling (ceil, CeilToInt), TruncToInt (int), abs, min, max, Mod
// (PythonMod), FloorDiv (CleanDiv), IntTrueDiv (TrueDiv). Nothing if the text is not such an
// expression, a name is not in `sizes`, the value is not an integer, or the arithmetic overflows or
// divides by zero or less. Names missing in `sizes` are added to `unbound`.
std::optional<int64_t> EvaluateSize(std::string_view text,
                                    const std::map<std::string, int64_t>& sizes,
                                    std::set<std::string>* unbound);

}  // namespace metadist
