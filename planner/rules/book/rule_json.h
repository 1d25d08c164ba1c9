// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "metair/json/visitor.h"
#include "planner/rules/search/discover.h"

namespace metadist {

// All fields of `found` except seconds, among the other fields of a record (rule_file.h). Sums of
// products are lists: [[constant, atom, ...], ...]. Whatever is read without a problem can be
// instantiated (Instantiate) for any call: every number is in range, every index is valid.
void VisitSymbolicRule(JsonVisitor& v, SymbolicRule& found);

// An object of these fields alone, with sorted keys, and the reverse. where: the file. Errors:
// kBadInput with the place.
nlohmann::json ToJson(const SymbolicRule& found);
Result<SymbolicRule> SymbolicRuleFrom(const nlohmann::json& json, const std::string& where);

}  // namespace metadist
