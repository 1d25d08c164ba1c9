// SPDX-License-Identifier: Apache-2.0
#include "cli/processes.h"

#include <new>

#include "cli/values.h"
#include "executor/comm/mpi/mpi_world.h"
#include "executor/run/process_run.h"

namespace metadist::cli {
namespace {

Result<void> DoPart(Messenger& processes, const Roles& roles) {
  if (processes.rank() != 0) return roles.serve(processes);
  const Result<void> done = roles.lead(processes);
  // If this fails after an error, the others already know or have ended.
  const Result<void> ended = EndRuns(processes);
  return done.ok() ? ended : done;
}

}  // namespace

Result<double> TimeoutSeconds(const std::string& timeout) {
  constexpr double kUsualTimeout = 60;
  if (timeout.empty()) return kUsualTimeout;
  return ParseSeconds(timeout).in("--timeout");
}

Result<void> CheckStartedByMpi(const Launch& launch) {
  if (!launch.launcher.empty() && launch.launcher != "torchrun") return {};
  return Error{ErrorCode::kDevice,
               "",
               "back end 'mpi' runs in processes that MPI started, and this one is not of them",
               "start it as `mpirun -n N metadist ...`"};
}

Result<void> RunTogether(Session& session, double timeout_seconds, const Roles& roles) {
  session.processes = TRY(JoinMpi({.timeout_seconds = timeout_seconds}));
  Messenger& processes = *session.processes;
  Result<void> done;
  try {
    done = DoPart(processes, roles);
  } catch (const std::bad_alloc&) {
    done = OutOfMemory();
    processes.Abort(done.error());
  }
  // Rank 0 has told the others in DoPart.
  if (!done.ok() && processes.rank() != 0 && done.error().code != ErrorCode::kInterrupted)
    processes.Abort(done.error());
  return done;
}

}  // namespace metadist::cli
