// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cli/launch.h"
#include "cli/session.h"
#include "executor/comm/messenger.h"

namespace metadist::cli {

// What processes that MPI started do together.
struct Roles {
  std::function<Result<void>(Messenger&)> lead;   // rank 0
  std::function<Result<void>(Messenger&)> serve;  // every other rank
};

// Errors: kDevice where the launcher, if any, is none of MPI's.
Result<void> CheckStartedByMpi(const Launch& launch);

// Joins the processes as session.processes and does this one's part. All end together: what fails
// on any other rank, and memory that ends on any, ends all of them; rank 0, when it is done, hears
// of every other that it is, too. Errors: those of the part; kDevice.
Result<void> RunTogether(Session& session, double timeout_seconds, const Roles& roles);

}  // namespace metadist::cli
