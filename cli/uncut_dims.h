// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cli/session.h"
#include "planner/rules/book/rule_book.h"

// What could not be divided, and why.
namespace metadist::cli {

// [{"input": 0, "dim": 1, "reason": "...", "known": false}, {"output": 0, ...}]
nlohmann::ordered_json UncutJson(const SignatureReport& signature);

// Warns of every signature with dims that are not divided although calls of the same form can be,
// and of every one whose code failed, with the reasons.
void WarnOfUncut(const Session& session, const std::vector<SignatureReport>& report);

// Warns of every operator of the report whose code did not answer a question, unless WarnOfUncut
// tells of its code. To be called when nothing more is asked.
void WarnOfUnanswered(const Session& session,
                      const OpTable& ops,
                      const std::vector<SignatureReport>& report);

}  // namespace metadist::cli
