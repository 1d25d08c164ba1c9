// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "importers/onnx/cases.h"
#include "planner/rules/book/rule_book.h"
#include "profiles/cluster.h"

// One test case of the ONNX project, run and judged.
namespace metadist::cli {

struct CaseOutcome {
  enum class Status : uint8_t {
    kPassed,
    kFailed,
    kUnsupported,  // it did not pass, and needs an operator or an element type that is not there
  };

  Status status = Status::kFailed;
  std::string reason;     // of all but kPassed
  int64_t constants = 0;  // inputs that had to be known before the run
  int64_t sharded_runs = 0;
  int64_t sharded_passed = 0;
  std::vector<std::string> sharded_failures;  // "2 ranks: MatMul_0 i: output 0 ...", the first few
};

// What all cases share.
struct CaseSetting {
  std::vector<Cluster> clusters;  // to split over, one axis each
  RuleBook* rules = nullptr;      // grows
};

// Runs a case on one device and, for every cluster, by every strategy of its nodes on as many
// thread ranks as it has devices; each time against the case's outputs. Where a case draws random
// numbers only the types of its outputs count, and the elements that one device made.
CaseOutcome RunCase(const OnnxCase& one, const CaseSetting& setting);

// To a process that waits, and back.
std::string OutcomeText(const CaseOutcome& outcome);
CaseOutcome ParseOutcome(const std::string& text);

}  // namespace metadist::cli
