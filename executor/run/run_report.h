// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "executor/run/rank_report.h"
#include "executor/run/run.h"

namespace metadist {

// The result of a run, assembled from the reports of all ranks: times, memory, traffic and outputs.
RunResult ReportRun(const Program& program,
                    const std::vector<RankReport>& reports,
                    const RunOptions& options);

}  // namespace metadist
