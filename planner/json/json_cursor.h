// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "metair/ir/result.h"

namespace metadist {

// A place in a JSON document, for strict readers. Every getter's error is kBadInput with the file
// and the place (`nodes[3].cost.seconds`), expected then actual. The document must outlive it.
class JsonCursor {
 public:
  JsonCursor(const nlohmann::json& at, std::string file) : at_(&at), file_(std::move(file)) {}

  // An object with exactly these fields, of which the optional ones may be missing.
  Result<void> Fields(std::initializer_list<std::string_view> names,
                      std::initializer_list<std::string_view> optional = {}) const;
  bool Has(std::string_view name) const;
  // A field of an object.
  Result<JsonCursor> At(std::string_view name) const;
  // Elements of an array.
  Result<std::vector<JsonCursor>> Elements() const;
  // Names of an object's fields, sorted.
  Result<std::vector<std::string>> Names() const;

  bool is_null() const;
  Result<std::string> String() const;
  Result<int64_t> Int() const;
  Result<uint64_t> Unsigned() const;
  Result<double> Number() const;
  Result<bool> Bool() const;

  // An error about this place.
  Error Wrong(std::string message) const;

 private:
  JsonCursor(const nlohmann::json& at, std::string file, std::string path)
      : at_(&at), file_(std::move(file)), path_(std::move(path)) {}
  Error Expected(std::string_view what) const;

  const nlohmann::json* at_;
  std::string file_;
  std::string path_;
};

}  // namespace metadist
