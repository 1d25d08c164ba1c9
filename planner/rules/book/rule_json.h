// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "metair/ir/result.h"
#include "planner/json/json_cursor.h"
#include "planner/rules/factor/symbolic_rule.h"

namespace metadist {

// All of `found` but the seconds, as an object with sorted keys. Sums of products are lists:
// [[constant, atom, ...], ...].
nlohmann::json ToJson(const SymbolicRule& found);

// What ToJson wrote; the object may hold the further fields of a record (rule_file.h). Whatever it
// returns can be asked for rules (Instantiate) of any call: every number is in range, every index
// points at something. Seconds are 0. Errors: kBadInput with the place.
Result<SymbolicRule> SymbolicRuleFrom(const JsonCursor& at);

}  // namespace metadist
