// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/session.h"
#include "planner/rules/book/rule_book.h"

// Rules from a file instead of discovery, for the commands that need rules.
namespace metadist::cli {

// Declares --rules.
void AddRulesFlag(CLI::App& command, std::string& path);

// Adds the rules of the file to the book; none if there is no path. Warns of rules that are
// discovered again. Errors: those of ReadText; kBadInput.
Result<void> LearnRules(const Session& session, const std::string& path, RuleBook& book);

// Warns of rules in the file that do not apply to their calls.
void WarnOfMisfits(const Session& session, const std::string& path, const RuleBook& book);

}  // namespace metadist::cli
