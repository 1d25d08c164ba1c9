// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "cli/model_flags.h"
#include "cli/session.h"
#include "profiles/profile.h"

namespace metadist::cli {

// Adds rows of the model's own calls to `profile`: for each number of ranks the model is planned
// with what the profile knows so far, its program is run, and every node's time goes to the row of
// its call; again until a plan without a new call takes as long as it said, at most 45 s.
// row_done: after each run.  Errors: as MakePlan and RunProgram.
Result<void> MeasureModel(Session& session,
                          const LoadedModel& model,
                          const std::vector<int>& ranks,
                          Profile& profile,
                          const std::function<void(const Profile&)>& row_done);

}  // namespace metadist::cli
