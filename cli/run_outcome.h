// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/compare.h"
#include "cli/run_job.h"
#include "cli/session.h"
#include "executor/run/run.h"
#include "metair/ir/result.h"

namespace metadist::cli {

// The result of running a job.
struct RunOutcome {
  RunResult run;
  Comparison one_device;
  bool compares_one_device = false;
  Comparison expected;
  std::string expected_file;  // "": none
  Tolerance tolerance;
  std::map<std::string, double> moved;  // how far roundings move outputs; empty: not measured
  // By output of one float, its values at the steps that are compared; empty without state.
  std::vector<std::pair<std::string, std::vector<double>>> scalars;
  Result<void> written;  // result of writing the trace and the states

  bool passed() const { return one_device.passed && expected.passed; }
};

// Runs the job, writes the trace and the states, and compares the outputs. Errors: those of reading
// arrays and of RunProgram.
Result<RunOutcome> Execute(Session& session, const RunFlags& flags, const Job& job);

}  // namespace metadist::cli
