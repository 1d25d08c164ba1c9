// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "metair/ir/result.h"

namespace metadist {

// Parses JSON in UTF-8: values nested at most 64 levels deep (printing and comparing recurse as
// deep), finite numbers, no field twice in one object. where: the file. kind: what it should be, "a
// plan". Errors: kBadInput with the hint.
Result<nlohmann::json> ParseJson(std::string_view text,
                                 const std::string& where,
                                 std::string_view kind,
                                 const std::string& hint);

// The value on one line. Invalid UTF-8 (it may come from the environment) is written with
// replacement characters.
std::string JsonLine(const nlohmann::json& value);
// The same, with fields of objects sorted by name.
std::string SortedJsonLine(const nlohmann::ordered_json& value);

// The value for use in a message: the beginning of its line.
std::string ShownJson(const nlohmann::json& value);

}  // namespace metadist
