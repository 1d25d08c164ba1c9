// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "executor/run/rank_report.h"
#include "metair/spmd/program.h"

namespace metadist {

// A rank's report as bytes for rank 0, and back. rank: whose it is.
std::string ReportText(const RankReport& report);
// Errors: kInternal for bytes that are no report.
Result<RankReport> ReportFromText(const std::string& text, const Program& program, int64_t rank);

}  // namespace metadist
