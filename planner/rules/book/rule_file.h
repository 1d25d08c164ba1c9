// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "metair/ir/result.h"
#include "planner/rules/factor/symbolic_rule.h"

namespace metadist {

inline constexpr char kRulesSchema[] = "metadist.rules";
inline constexpr int kRulesSchemaVersion = 1;

// The rule discovered for one signature, and the operator and kernel for which it holds.
struct RuleRecord {
  std::string domain;
  std::string op;
  int opset = 1;
  std::string kernel;  // CodeFingerprint()
  SymbolicRule found;
};

// SymbolicRule rules as a file: diffed, kept beside a model, loaded instead of discovered.
struct RuleFile {
  std::string tool_version;
  uint64_t seed = 0;
  std::string version;                        // kRuleVersion of the program that found them
  std::map<std::string, RuleRecord> records;  // by canonical signature (SignatureText)
};

// JSON, the same bytes for the same rules: sorted keys, records in the order of their signatures.
std::string WriteRules(const RuleFile& file);

// Strict: every field must be present and in range, every record unmodified (it has a checksum).
// where: the file, for messages. Errors: kBadInput naming the field (`records[3].factors[0].dim`).
Result<RuleFile> ReadRules(std::string_view text, const std::string& where);

}  // namespace metadist
