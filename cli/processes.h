// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "cli/launch.h"
#include "cli/session.h"
#include "executor/comm/messenger.h"

namespace metadist::cli {

// What each of the processes that MPI started does.
struct Roles {
  std::function<Result<void>(Messenger&)> lead;   // rank 0
  std::function<Result<void>(Messenger&)> serve;  // every other rank
};

// The value of `--timeout`: how long a rank waits for another; 60 seconds if it was not given.
// Errors: kUsage.
Result<double> TimeoutSeconds(const std::string& timeout);

// Errors: kDevice if the process was not started by a launcher of MPI programs.
Result<void> CheckStartedByMpi(const Launch& launch);

// Joins the processes as session.processes and plays this process's role. All end together: an
// error of a serving rank, or lack of memory on any rank, ends all of them, and rank 0 waits at its
// end until the others have ended too. Errors: those of the role; kDevice.
Result<void> RunTogether(Session& session, double timeout_seconds, const Roles& roles);

}  // namespace metadist::cli
