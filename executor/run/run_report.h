// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/run/rank_report.h"
#include "executor/run/run.h"

namespace metadist {

// What a run came to, from what all ranks tell of it: times, memory, traffic, and outputs put
// together. A step takes from the start of its first rank to the end of its last where all share a
// clock; on several machines as long as on the rank where it takes longest.
RunResult ReportRun(const Program& program,
                    std::vector<RankReport> told,
                    const RunOptions& options);

}  // namespace metadist
