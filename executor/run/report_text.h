// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "executor/run/rank_report.h"
#include "metair/spmd/program.h"

namespace metadist {

// A rank's report as bytes for rank 0, and back. rank: the rank that reports.
std::string ReportText(const RankReport& report);
// Errors: kInternal if the bytes are not a report.
Result<RankReport> ReportFromText(const std::string& text, const Program& program, int64_t rank);

}  // namespace metadist
