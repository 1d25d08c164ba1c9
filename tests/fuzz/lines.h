// SPDX-License-Identifier: Apache-2.0
// Parsing of the fuzz programs' input, which is lines of text.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "metair/ir/shape.h"

namespace metadist {

// The text up to `mark`, which is removed from `rest` together with the mark.
inline std::string_view TakeUntil(char mark, std::string_view& rest) {
  const size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view head = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return head;
}

// 0 if there is no number.
inline int64_t NumberOf(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The first `dims` numbers within [least, most] in a text with any other numbers and text in
// between.
inline Shape SizesOf(std::string_view text, size_t dims, int64_t least, int64_t most) {
  Shape shape;
  while (!text.empty() && shape.size() < dims) {
    int64_t size = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    text.remove_prefix(error == std::errc() ? static_cast<size_t>(at - text.data()) : 1);
    if (error == std::errc() && size >= least && size <= most) shape.push_back(size);
  }
  return shape;
}

}  // namespace metadist
