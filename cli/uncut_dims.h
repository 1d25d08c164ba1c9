// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cli/session.h"
#include "planner/rules/book/rule_book.h"

// Dims that no factor divides.
namespace metadist::cli {

// [{"input": 0, "dim": 1, "reason": "...", "known": false}, {"output": 0, ...}]
nlohmann::ordered_json UncutJson(const SignatureReport& signature);

// Warns of every signature with dims that are not divided although calls of the same form can be,
// and of every one whose code failed, with the reasons.
void WarnOfUncut(const Session& session, const std::vector<SignatureReport>& report);

}  // namespace metadist::cli
