// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "metair/json/visitor.h"
#include "planner/rules/search/discover.h"

namespace metadist {

// All fields of `found` but the seconds, among the further fields of a record (rule_file.h). Sums
// of products are lists: [[constant, atom, ...], ...]. Whatever is read without a problem can be
// asked for rules (Instantiate) of any call: every number is in range, every index points at
// something.
void VisitSymbolicRule(JsonVisitor& v, SymbolicRule& found);

// An object of these fields alone, with sorted keys, and what it was written from.  where: the
// file.  Errors: kBadInput with the place.
nlohmann::json ToJson(const SymbolicRule& found);
Result<SymbolicRule> SymbolicRuleFrom(const nlohmann::json& json, const std::string& where);

}  // namespace metadist
