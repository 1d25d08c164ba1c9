// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/session.h"
#include "planner/rules/book/rule_book.h"

// What commands that discover rules share: rules of a file instead.
namespace metadist::cli {

// Declares --rules.
void AddRulesFlag(CLI::App& command, std::string& path);

// The rules of the file for the book; none where there is no path. Warns of those that are found
// anew. Errors: kBadInput.
Result<void> LearnRules(const Session& session, const std::string& path, RuleBook& book);

// Warns of rules of the file that turned out not to be of the calls they are for.
void WarnOfMisfits(const Session& session, const std::string& path, const RuleBook& book);

}  // namespace metadist::cli
