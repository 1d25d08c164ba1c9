// SPDX-License-Identifier: Apache-2.0
#include "metair/json/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace metadist {
namespace {

using nlohmann::json;

constexpr int kMostLevels = 64;
constexpr size_t kShownBytes = 40;

// Whether brackets outside of strings nest too deeply; the text need not be valid JSON.
bool NestsDeeply(std::string_view text) {
  int levels = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{') ++levels;
    if (c == ']' || c == '}') --levels;
    if (levels > kMostLevels) return true;
  }
  return false;
}

}  // namespace

Result<json> ParseJson(std::string_view text,
                       const std::string& where,
                       std::string_view kind,
                       const std::string& hint) {
  std::string got;
  if (NestsDeeply(text)) {
    got = fmt::format("values more than {} levels deep in others", kMostLevels);
  } else {
    try {
      return json::parse(text);
    } catch (const json::parse_error& error) {
      const std::string_view read = text.substr(0, error.byte);
      got = fmt::format("{} at line {}",
                        error.byte > text.size() ? "the end of the file" : "something else",
                        1 + std::count(read.begin(), read.end(), '\n'));
    } catch (const json::exception&) {
      got = "a number beyond the range of f64";
    }
  }
  return BadInput(where, fmt::format("expected {} in JSON, got {}", kind, got), hint);
}

std::string JsonLine(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string SortedJsonLine(const nlohmann::ordered_json& value) { return JsonLine(json(value)); }

std::string ShownJson(const json& value) {
  std::string text = JsonLine(value);
  size_t kept = kShownBytes;
  if (text.size() <= kept) return text;
  while ((text[kept] & 0xc0) == 0x80) --kept;  // inside a UTF-8 character
  text.resize(kept);
  return text += "...";
}

}  // namespace metadist
