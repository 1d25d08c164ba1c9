// SPDX-License-Identifier: Apache-2.0
#include "metair/json/visitor.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "metair/json/document.h"

namespace metadist {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr double kExactReals = 0x1p53;

std::string RangeText(const Integers& range) {
  if (range.least == range.most) return fmt::format("{}", range.least);
  if (range.least == INT64_MIN && range.most == INT64_MAX) return "an integer";
  if (range.most == INT64_MAX) return fmt::format("an integer >= {}", range.least);
  return fmt::format("an integer from {} to {}", range.least, range.most);
}

std::string RangeText(Reals range) {
  if (range == Reals::kPositive) return "a number > 0";
  return range == Reals::kNotNegative ? "a number >= 0" : "a number";
}

std::string ChoiceText(const std::vector<std::string_view>& names) {
  if (names.size() == 1) return fmt::format("\"{}\"", names[0]);
  return fmt::format("one of {}", fmt::join(names, ", "));
}

bool FitsInt64(const json& value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t{INT64_MAX});
}

// Whether a float is a whole number, such as 192e9.
bool IsWholeReal(const json& value) {
  if (!value.is_number_float()) return false;
  const double real = value.get<double>();
  return real == std::floor(real) && std::abs(real) < kExactReals;
}

}  // namespace

JsonVisitor::JsonVisitor(const json& in, JsonProblems& problems, const JsonLimits& limits)
    : in_(&in), problems_(&problems), problems_before_(problems.count()), limits_(limits) {}

JsonVisitor::JsonVisitor(ordered_json& out) : out_(&out) {}

JsonVisitor::JsonVisitor(JsonVisitor& outer, const Place& place)
    : outer_(&outer),
      place_(place),
      in_(place.in),
      out_(place.out),
      problems_(outer.problems_),
      problems_before_(problems_ == nullptr ? 0 : problems_->count()),
      limits_(outer.limits_) {}

std::string JsonVisitor::Path() const {
  if (outer_ == nullptr) return "";
  const std::string outer = outer_->Path();
  if (place_.name.empty()) return fmt::format("{}[{}]", outer, place_.index);
  return outer.empty() ? std::string(place_.name) : fmt::format("{}.{}", outer, place_.name);
}

void JsonVisitor::Wrong(std::string message, std::string hint) {
  if (reading()) problems_->Add(Path(), std::move(message), std::move(hint));
}

void JsonVisitor::WrongAt(std::string_view name, std::string message, std::string hint) {
  if (!reading()) return;
  const std::string path = Path();
  const bool joined = path.empty() || name.starts_with('[');
  problems_->Add(
      fmt::format("{}{}{}", path, joined ? "" : ".", name), std::move(message), std::move(hint));
}

void JsonVisitor::Expected(const std::string& what) {
  // The message of a problem that is only counted is never shown.
  Wrong(problems_->full() ? "" : fmt::format("must be {}, got {}", what, ShownJson(*in_)));
}

void JsonVisitor::Value(bool& value) {
  if (!reading()) {
    *out_ = value;
  } else if (in_->is_boolean()) {
    value = in_->get<bool>();
  } else {
    Expected("true or false");
  }
}

void JsonVisitor::Value(int64_t& value, const Integers& range) {
  if (!reading()) {
    *out_ = value;
    return;
  }
  if (FitsInt64(*in_) || (limits_.whole_reals && IsWholeReal(*in_))) {
    const int64_t found =
        in_->is_number_float() ? static_cast<int64_t>(in_->get<double>()) : in_->get<int64_t>();
    if (found >= range.least && found <= range.most) {
      value = found;
      return;
    }
  }
  Expected(RangeText(range));
}

void JsonVisitor::Value(int& value, const Integers& range) {
  int64_t wide = value;
  Value(wide, range);
  value = static_cast<int>(wide);
}

void JsonVisitor::Value(uint64_t& value) {
  if (!reading()) {
    *out_ = value;
  } else if (in_->is_number_unsigned()) {
    value = in_->get<uint64_t>();
  } else {
    Expected(RangeText(Integers{0}));
  }
}

void JsonVisitor::Value(double& value, Reals range) {
  if (!reading()) {
    *out_ = value;
    return;
  }
  const double found = in_->is_number() ? in_->get<double>() : NAN;
  const bool fits = range == Reals::kPositive ? found > 0 : range == Reals::kAny || found >= 0;
  if (!std::isfinite(found) || !fits) return Expected(RangeText(range));
  value = found;
}

void JsonVisitor::Value(std::string& value, Texts range) {
  if (!reading()) {
    *out_ = value;
    return;
  }
  if (!in_->is_string()) return Expected("a text");
  const auto& text = in_->get_ref<const std::string&>();
  if (range == Texts::kNotEmpty && text.empty()) return Expected("a text that is not empty");
  if (text.size() > limits_.text_bytes)
    return Wrong(fmt::format(
        "must be a text of at most {} bytes, got {} bytes", limits_.text_bytes, text.size()));
  value = text;
}

void JsonVisitor::Value(std::string& value, const Words& range) {
  if (!reading()) {
    *out_ = value;
  } else {
    const size_t chosen = Choice(range.all, range.all.size());
    if (chosen < range.all.size()) value = std::string(range.all[chosen]);
  }
}

bool JsonVisitor::Null(bool null) {
  if (reading()) return in_->is_null();
  if (null) *out_ = nullptr;
  return null;
}

size_t JsonVisitor::Choice(const std::vector<std::string_view>& names, size_t chosen) {
  if (!reading()) {
    *out_ = names[chosen];
    return chosen;
  }
  if (in_->is_string()) {
    const auto found = std::find(names.begin(), names.end(), in_->get_ref<const std::string&>());
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
  }
  Expected(ChoiceText(names));
  return chosen;
}

size_t JsonVisitor::Items(size_t count) {
  if (!reading()) {
    *out_ = ordered_json::array();
    out_->get_ref<ordered_json::array_t&>().reserve(count);
    return count;
  }
  if (!in_->is_array()) {
    Expected("a list");
    return 0;
  }
  if (in_->size() <= limits_.elements) return in_->size();
  Wrong(
      fmt::format("must be a list of at most {} elements, got {}", limits_.elements, in_->size()));
  return 0;
}

bool JsonVisitor::Tuple(size_t count) {
  const size_t problems = reading() ? problems_->count() : 0;
  const size_t found = Items(count);
  if (found == count && ok()) return true;
  if (reading() && problems == problems_->count())
    Wrong(fmt::format("must be a list of {} elements, got {}", count, found));
  return false;
}

JsonVisitor::Place JsonVisitor::ItemAt(size_t index) {
  if (reading()) return {.name = {}, .index = index, .in = &(*in_)[index]};
  out_->push_back(nullptr);
  return {.name = {}, .index = index, .out = &out_->back()};
}

bool JsonVisitor::IsObject() {
  if (is_object_) return true;
  if (!reading()) {
    *out_ = ordered_json::object();
  } else if (!in_->is_object()) {
    if (!is_no_object_) Expected("an object");
    is_no_object_ = true;
    return false;
  }
  return is_object_ = true;
}

std::vector<std::string_view> JsonVisitor::Names() {
  std::vector<std::string_view> names;
  if (!IsObject() || !reading()) return names;
  for (const auto& item : in_->items()) names.push_back(item.key());
  return names;
}

JsonVisitor::Place JsonVisitor::FieldAt(std::string_view name, bool required) {
  if (!IsObject()) return {};
  if (reading()) {
    asked_.push_back(name);
    const auto found = in_->find(name);
    if (found != in_->end()) return {.name = name, .in = &*found};
    if (required) Wrong(fmt::format("field '{}' is missing", name));
    return {};
  }
  // Names are unique; `[]` would search all other names each time.
  auto& fields = out_->get_ref<ordered_json::object_t&>();
  ordered_json::object_t::Container& all = fields;
  all.emplace_back(std::string(name), nullptr);
  return {.name = name, .out = &all.back().second};
}

void JsonVisitor::RefuseRest() {
  if (!is_object_ || !reading() || rest_is_open_) return;
  std::sort(asked_.begin(), asked_.end());
  for (const auto& item : in_->items())
    if (!std::binary_search(asked_.begin(), asked_.end(), std::string_view(item.key())))
      Wrong(fmt::format("field '{}' is unknown", item.key()));
}

void JsonVisitor::Constant(std::string_view name, const std::string& text) {
  std::string value = text;
  Field(name, value, Words{{text}});
}

bool JsonVisitor::Schema(const std::string& name, int64_t version, const std::string& hint) {
  Constant("schema", name);
  if (ok()) Field("schema_version", version, Integers{version, version});
  if (ok()) return true;
  problems_->HintAtLast(hint);
  LeaveRest();
  return false;
}

}  // namespace metadist
