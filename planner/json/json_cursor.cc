// SPDX-License-Identifier: Apache-2.0
#include "planner/json/json_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace metadist {

Error JsonCursor::Wrong(std::string message) const {
  return BadInput(path_.empty() ? file_ : fmt::format("{}: {}", file_, path_), std::move(message));
}

Error JsonCursor::Expected(std::string_view what) const {
  std::string actual = at_->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (actual.size() > 40) {
    actual.resize(40);
    actual += "...";
  }
  return Wrong(fmt::format("expected {}, got {}", what, actual));
}

bool JsonCursor::Has(std::string_view name) const {
  return at_->is_object() && at_->contains(std::string(name));
}

Result<void> JsonCursor::Fields(std::initializer_list<std::string_view> names,
                                std::initializer_list<std::string_view> optional) const {
  if (!at_->is_object()) return Expected("an object");
  std::vector<Error> problems;
  for (std::string_view name : names)
    if (!at_->contains(std::string(name)))
      problems.push_back(Wrong(fmt::format("field '{}' is missing", name)));
  for (const auto& [name, value] : at_->items())
    if (std::find(names.begin(), names.end(), name) == names.end() &&
        std::find(optional.begin(), optional.end(), name) == optional.end())
      problems.push_back(Wrong(fmt::format("field '{}' is unknown", name)));
  if (!problems.empty()) return Join(std::move(problems));
  return {};
}

Result<JsonCursor> JsonCursor::At(std::string_view name) const {
  if (!at_->is_object()) return Expected("an object");
  const auto found = at_->find(std::string(name));
  if (found == at_->end()) return Wrong(fmt::format("field '{}' is missing", name));
  return JsonCursor(
      *found, file_, path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name));
}

Result<std::vector<JsonCursor>> JsonCursor::Elements() const {
  if (!at_->is_array()) return Expected("an array");
  std::vector<JsonCursor> out;
  for (size_t i = 0; i < at_->size(); ++i)
    out.push_back(JsonCursor((*at_)[i], file_, fmt::format("{}[{}]", path_, i)));
  return out;
}

Result<std::vector<std::string>> JsonCursor::Names() const {
  if (!at_->is_object()) return Expected("an object");
  std::vector<std::string> out;
  for (const auto& [name, value] : at_->items()) out.push_back(name);
  return out;
}

bool JsonCursor::is_null() const { return at_->is_null(); }

Result<std::string> JsonCursor::String() const {
  if (!at_->is_string()) return Expected("a string");
  return at_->get<std::string>();
}

Result<int64_t> JsonCursor::Int() const {
  const bool fits =
      at_->is_number_integer() &&
      (!at_->is_number_unsigned() ||
       at_->get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  if (!fits) return Expected("an integer");
  return at_->get<int64_t>();
}

Result<uint64_t> JsonCursor::Unsigned() const {
  if (!at_->is_number_unsigned()) return Expected("a whole number");
  return at_->get<uint64_t>();
}

Result<double> JsonCursor::Number() const {
  if (!at_->is_number()) return Expected("a number");
  return at_->get<double>();
}

Result<bool> JsonCursor::Bool() const {
  if (!at_->is_boolean()) return Expected("true or false");
  return at_->get<bool>();
}

}  // namespace metadist
