// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/bounds/cbc.h"

namespace metadist {

enum class CbcEffort : uint8_t {
  kAll,        // its cuts and heuristics, where the program is not too large for them
  kBranching,  // linear programs and branching alone
};

// SolveMip in this process, which ends if CBC crashes.
MipResult RunCbc(const LinearModel& model, const MipOptions& options, CbcEffort effort);

}  // namespace metadist
