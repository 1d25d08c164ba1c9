// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "importers/onnx_cases.h"

// One test case of the ONNX project, run and judged.
namespace metadist::cli {

struct CaseOutcome {
  enum class Status : uint8_t {
    kPassed,
    kFailed,
    kUnsupported,  // it did not pass, and needs an operator or an element type that is not there
    kSkipped,      // it did not pass, and its outputs are drawn at random
  };

  Status status = Status::kFailed;
  std::string reason;     // of all but kPassed
  int64_t constants = 0;  // inputs that had to be known before the run
  int64_t sharded_runs = 0;
  int64_t sharded_passed = 0;
  std::vector<std::string> sharded_failures;  // "2 ranks: MatMul_0 i: output 0 ...", the first few
};

// Runs a case on one device and, for every other entry of `ranks`, by every strategy of its nodes
// on a mesh of one axis with that many thread ranks; each time against the case's outputs.
CaseOutcome RunCase(const OnnxCase& one, const std::vector<int>& ranks);

// To a process that waits, and back.
std::string OutcomeText(const CaseOutcome& outcome);
CaseOutcome ParseOutcome(const std::string& text);

}  // namespace metadist::cli
