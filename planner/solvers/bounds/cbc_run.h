// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "planner/solvers/bounds/cbc.h"

namespace metadist {

enum class CbcEffort : uint8_t {
  kAll,        // with cuts and heuristics, unless the program is too large for them
  kBranching,  // only linear programs and branching
};

// SolveMip in this process, which dies if CBC crashes.
MipResult RunCbc(const LinearModel& model, const MipOptions& options, CbcEffort effort);

}  // namespace metadist
