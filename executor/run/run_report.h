// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/run/rank_report.h"
#include "executor/run/run.h"

namespace metadist {

// What a run came to, from what all ranks tell of it: times, memory, traffic, and outputs put
// together.
RunResult ReportRun(const Program& program,
                    const std::vector<RankReport>& reports,
                    const RunOptions& options);

}  // namespace metadist
