// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cli/session.h"
#include "planner/rules/rule_book.h"

// Dims that stay whole although calls of the same form with other sizes can be cut there.
namespace metadist::cli {

// [{"input": 0, "dim": 1, "reason": "..."}, {"output": 0, ...}]
nlohmann::ordered_json UncutJson(const SignatureReport& signature);

// A warning for every signature that has such dims, with their reasons.
void WarnOfUncut(const Session& session, const std::vector<SignatureReport>& report);

}  // namespace metadist::cli
