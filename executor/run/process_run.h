// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/comm/messenger.h"
#include "executor/run/run.h"

namespace metadist {

// Like RunProgram, with one process per rank: rank 0 calls this, every other rank ServeRuns. Only
// rank 0 has the program and the data; it sends every rank its parts. options.ops must be the table
// that the others pass to ServeRuns. Errors: as RunProgram; kUsage if there are fewer processes
// than ranks.
Result<RunResult> RunOnProcesses(Messenger& processes,
                                 const Program& program,
                                 const NamedTensors& weights,
                                 const NamedTensors& inputs,
                                 const RunOptions& options);

// Called by the ranks other than 0: runs what rank 0 sends and measures with it (MeasureCpu), until
// EndRuns.
Result<void> ServeRuns(Messenger& processes, const OpTable& ops);
// Called by rank 0: tells all other ranks to stop, and waits until they know. Errors: kDevice.
Result<void> EndRuns(Messenger& processes);

}  // namespace metadist
