// SPDX-License-Identifier: Apache-2.0
#include "metair/json/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "metair/json/problems.h"

namespace metadist {
namespace {

using nlohmann::json;

constexpr int kMostLevels = 64;
constexpr size_t kShownBytes = 40;

// What a text, JSON or not, has outside quotes.
struct Outline {
  bool deep = false;   // brackets nest too deeply
  int64_t colons = 0;  // in JSON, one per field of an object
};

Outline OutlineOf(std::string_view text) {
  Outline outline;
  int levels = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{') ++levels;
    if (c == ']' || c == '}') --levels;
    if (c == ':') ++outline.colons;
    outline.deep = outline.deep || levels > kMostLevels;
  }
  return outline;
}

int64_t FieldsIn(const json& value) {
  if (!value.is_structured()) return 0;
  int64_t fields = value.is_object() ? std::ssize(value) : 0;
  for (const json& inner : value) fields += FieldsIn(inner);
  return fields;
}

// Finds the fields that occur twice in one object, with their places, while a text is parsed again:
// the parsed value holds only the last of them.
class RepeatedFields {
 public:
  explicit RepeatedFields(const std::string& where) : problems_(where) {}

  JsonProblems Of(std::string_view text) {
    const auto hear = [this](int /*depth*/, json::parse_event_t event, json& parsed) {
      Hear(event, parsed);
      return true;
    };
    const json again = json::parse(text, hear);
    return std::move(problems_);
  }

 private:
  // An object or a list that is being read.
  struct Level {
    bool is_object = false;
    std::set<std::string> names = {};
    std::string name = {};  // of the field that is being read
    size_t index = 0;
  };

  void Hear(json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      levels_.push_back({.is_object = event == Event::object_start});
    } else if (event == Event::key) {
      Level& object = levels_.back();
      object.name = parsed.get<std::string>();
      if (!object.names.insert(object.name).second)
        problems_.Add(Place(), fmt::format("field '{}' is there twice", object.name));
    } else {
      if (event != Event::value) levels_.pop_back();
      if (!levels_.empty()) ++levels_.back().index;
    }
  }

  // Of the object that is being read.
  std::string Place() const {
    std::string place;
    for (size_t k = 0; k + 1 < levels_.size(); ++k) {
      const Level& level = levels_[k];
      if (!level.is_object)
        place += fmt::format("[{}]", level.index);
      else
        place += (place.empty() ? "" : ".") + level.name;
    }
    return place;
  }

  std::vector<Level> levels_;
  JsonProblems problems_;
};

}  // namespace

Result<json> ParseJson(std::string_view text,
                       const std::string& where,
                       std::string_view kind,
                       const std::string& hint) {
  std::string got;
  const Outline outline = OutlineOf(text);
  if (outline.deep) {
    got = fmt::format("values more than {} levels deep in others", kMostLevels);
  } else {
    try {
      json document = json::parse(text);
      if (FieldsIn(document) != outline.colons) {
        JsonProblems problems = RepeatedFields(where).Of(text);
        problems.HintAtLast(hint);
        TRY(std::move(problems).Check());
      }
      return document;
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
