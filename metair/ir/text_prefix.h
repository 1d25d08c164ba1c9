// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

// What readers of the one-line text forms (mesh, sharding, local entry, recipe, program) take from
// the start of a text.
namespace metadist {

// Removes `prefix` from the start of the text; false if the text does not start with it.
inline bool SkipPrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Removes a number from the start of the text; nullopt if there is none, or none of this type.
template <typename T>
std::optional<T> TakeNumber(std::string_view& text) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

}  // namespace metadist
