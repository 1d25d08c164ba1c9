// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "cli/model_flags.h"
#include "cli/session.h"
#include "profiles/profile.h"

namespace metadist::cli {

// Adds rows of the model's own calls to `profile`: for each number of ranks, plans the model with
// the rows so far, runs the program and records every node's time in the row of its call. Repeats
// this until a plan without new calls takes its predicted time, for at most 45 s, or until `due`.
// row_done: called after each run. Errors: as MakePlan and RunProgram.
Result<void> MeasureModel(Session& session,
                          const LoadedModel& model,
                          const std::vector<int>& ranks,
                          Profile& profile,
                          const std::function<bool()>& due,
                          const std::function<void(const Profile&)>& row_done);

}  // namespace metadist::cli
