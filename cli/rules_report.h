// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/session.h"
#include "planner/rules/book/rule_book.h"

namespace metadist::cli {

// The contents of `rules`' report. Both output forms print these fields and compute nothing.
struct RulesReport {
  std::vector<SignatureReport> signatures;
  int64_t executions = 0;  // over all signatures
  double seconds = 0;
};

RulesReport RulesReportOf(std::vector<SignatureReport> signatures);

// The JSON document of `metadist rules --json`, with its documented keys, and the text form.
nlohmann::ordered_json RulesJson(const Session& session, const RulesReport& report);
std::string RulesText(const RulesReport& report);

}  // namespace metadist::cli
