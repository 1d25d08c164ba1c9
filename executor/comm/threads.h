// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "executor/comm/transport.h"

namespace metadist {

// Transports of `ranks` ranks in this process, one for each thread: the default, and the oracle in
// tests of the others. A step reads the peers' memory directly. timeout_seconds: the longest that a
// rank waits for the others at one meeting. streams: threads of each rank that run at a time.
std::vector<std::unique_ptr<Transport>> MakeThreadGroup(int ranks,
                                                        double timeout_seconds = 60,
                                                        int streams = 1);

// Runs the transfers of all ranks of a mesh sequentially in one thread, in the phases that meetings
// separate. By rank: transfers, sources and targets.
void RunTransfersInTurn(const std::vector<Transfer>& transfers,
                        std::span<void* const> sources,
                        std::span<void* const> targets);

}  // namespace metadist
