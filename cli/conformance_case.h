// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "importers/onnx/cases.h"
#include "planner/rules/book/rule_book.h"
#include "profiles/cluster.h"

// One test case of the ONNX project, run and evaluated.
namespace metadist::cli {

struct CaseOutcome {
  enum class Status : uint8_t {
    kPassed,
    kFailed,
    kUnsupported,  // failed, and needs an operator or element type that is not supported
  };

  Status status = Status::kFailed;
  std::string reason;     // unless kPassed
  int64_t constants = 0;  // inputs that had to be constants
  int64_t sharded_runs = 0;
  int64_t sharded_passed = 0;
  std::vector<std::string> sharded_failures;  // "2 ranks: MatMul_0 i: output 0 ...", the first few
};

// Settings shared by all cases.
struct CaseSetting {
  std::vector<Cluster> clusters;  // to split over, one axis each
  RuleBook* rules = nullptr;      // extended by running
};

// Runs a case on one device and, for every cluster, with every strategy of its nodes on as many
// thread ranks as it has devices; each result is compared with the case's outputs. If a case draws
// random numbers, only the types of its outputs are compared with the case's, and the elements with
// those of one device.
CaseOutcome RunCase(const OnnxCase& one, const CaseSetting& setting);

// For passing outcomes between processes.
std::string OutcomeText(const CaseOutcome& outcome);
CaseOutcome ParseOutcome(const std::string& text);

}  // namespace metadist::cli
