// SPDX-License-Identifier: Apache-2.0
#include "profiles/fields.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "metair/ir/check.h"

namespace metadist {
namespace {

using nlohmann::json;

// The value as it may stand in a message.
std::string Shown(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  size_t kept = 40;
  if (text.size() <= kept) return text;
  while ((text[kept] & 0xc0) == 0x80) --kept;  // within a character
  text.resize(kept);
  return text += "...";
}

}  // namespace

void Problems::Add(const std::string& where, std::string message, std::string hint) {
  if (errors_.size() >= kLimit) {
    ++more_;
    return;
  }
  Error error = BadInput(where, std::move(message), std::move(hint));
  errors_.push_back(file_.empty() ? std::move(error) : std::move(error).in(file_));
}

Error Problems::Take() {
  CHECK(!errors_.empty(), "there are no problems to report");
  if (more_ > 0) errors_.push_back(BadInput(file_, fmt::format("{} more problems", more_)));
  return Join(std::move(errors_));
}

Fields::Fields(const json& object, std::string where, Problems& problems)
    : object_(object), where_(std::move(where)), problems_(problems) {
  if (!object_.is_object()) Add("must be an object, got " + Shown(object_));
}

void Fields::RefuseUnknown() {
  if (!object_.is_object()) return;
  for (const auto& item : object_.items()) {
    if (known_.count(item.key()) == 0) Add(fmt::format("unknown field '{}'", item.key()));
  }
}

void Fields::Add(std::string message, std::string hint) {
  ok_ = false;
  problems_.Add(where_, std::move(message), std::move(hint));
}

bool Fields::has(const char* name) const { return object_.is_object() && object_.contains(name); }

const json* Fields::Find(const char* name, bool required) {
  known_.insert(name);
  if (has(name)) return &object_.at(name);
  if (required && object_.is_object()) Add(fmt::format("field '{}' is missing", name));
  return nullptr;
}

std::string Fields::Text(const char* name) {
  const json* field = Find(name, /*required=*/true);
  if (field == nullptr) return "";
  if (!field->is_string() || field->get_ref<const std::string&>().empty()) {
    Add(fmt::format("'{}' must be a text that is not empty, got {}", name, Shown(*field)));
    return "";
  }
  return field->get<std::string>();
}

std::string Fields::Text(const char* name, const std::string& absent) {
  const json* field = Find(name, /*required=*/false);
  if (field == nullptr) return absent;
  if (field->is_string()) return field->get<std::string>();
  Add(fmt::format("'{}' must be a text, got {}", name, Shown(*field)));
  return absent;
}

int64_t Fields::Integer(const char* name, int64_t least) {
  const json* field = Find(name, /*required=*/true);
  return field == nullptr ? least : Integer(name, least, least);
}

int64_t Fields::Integer(const char* name, int64_t least, int64_t absent) {
  const json* field = Find(name, /*required=*/false);
  if (field == nullptr) return absent;
  const double real = field->is_number() ? field->get<double>() : 0;
  const bool round =  // as 192e9
      field->is_number_float() && real == std::floor(real) && std::abs(real) < 0x1p53;
  const bool fits = field->is_number_integer() &&
                    !(field->is_number_unsigned() && field->get<uint64_t>() > uint64_t{INT64_MAX});
  const int64_t value = fits ? field->get<int64_t>() : round ? static_cast<int64_t>(real) : 0;
  if ((fits || round) && value >= least) return value;
  Add(fmt::format("'{}' must be an integer >= {}, got {}", name, least, Shown(*field)));
  return absent;
}

double Fields::Number(const char* name, bool required, double absent) {
  const json* field = Find(name, required);
  if (field == nullptr) return absent;
  if (field->is_number() && std::isfinite(field->get<double>())) return field->get<double>();
  Add(fmt::format("'{}' must be a finite number, got {}", name, Shown(*field)));
  return absent;
}

double Fields::Positive(const char* name) {
  const double value = Number(name, /*required=*/true, 1);
  if (value > 0) return value;
  Add(fmt::format("'{}' must be greater than 0, got {}", name, value));
  return 1;
}

double Fields::NonNegative(const char* name) {
  const double value = Number(name, /*required=*/false, 0);
  if (value >= 0) return value;
  Add(fmt::format("'{}' must not be negative, got {}", name, value));
  return 0;
}

double Fields::Finite(const char* name) { return Number(name, /*required=*/true, 0); }

bool Fields::Flag(const char* name) {
  const json* field = Find(name, /*required=*/false);
  if (field == nullptr) return false;
  if (field->is_boolean()) return field->get<bool>();
  Add(fmt::format("'{}' must be true or false, got {}", name, Shown(*field)));
  return false;
}

std::map<std::string, std::string> Fields::Texts(const char* name) {
  std::map<std::string, std::string> texts;
  const json* field = Find(name, /*required=*/false);
  if (field == nullptr) return texts;
  if (!field->is_object()) {
    Add(fmt::format("'{}' must be an object, got {}", name, Shown(*field)));
    return texts;
  }
  for (const auto& item : field->items()) {
    if (item.value().is_string()) {
      texts[item.key()] = item.value().get<std::string>();
    } else {
      Add(fmt::format("'{}.{}' must be a text, got {}", name, item.key(), Shown(item.value())));
    }
  }
  return texts;
}

std::map<std::string, double> Fields::Rates(const char* name) {
  std::map<std::string, double> rates;
  const json* field = Find(name, /*required=*/false);
  if (field == nullptr) return rates;
  if (!field->is_object()) {
    Add(fmt::format("'{}' must be an object, got {}", name, Shown(*field)));
    return rates;
  }
  for (const auto& [key, value] : field->items()) {
    if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0) {
      rates[key] = value.get<double>();
    } else {
      Add(fmt::format("'{}.{}' must be a number > 0, got {}", name, key, Shown(value)));
    }
  }
  return rates;
}

}  // namespace metadist
