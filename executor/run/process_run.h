// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/comm/messenger.h"
#include "executor/run/run.h"

namespace metadist {

// As RunProgram, with one process a rank: rank 0 calls this, every other rank ServeRuns. Only rank
// 0 has the program and the data; it sends every rank its parts. options.ops are those that the
// others serve with. Errors: as RunProgram; kUsage where there are fewer processes than ranks.
Result<RunResult> RunOnProcesses(Messenger& processes,
                                 const Program& program,
                                 const NamedTensors& weights,
                                 const NamedTensors& inputs,
                                 const RunOptions& options);

// What a rank other than 0 does: runs what rank 0 sends, until rank 0 has no more.
Result<void> ServeRuns(Messenger& processes, const OpTable& ops);
// Tells all ranks that there is no more.
Result<void> EndRuns(Messenger& processes);

}  // namespace metadist
