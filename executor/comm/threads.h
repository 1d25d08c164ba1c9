// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "executor/comm/communicator.h"

namespace metadist {

struct ThreadGroupOptions {
  // The longest any rank waits for the others at one meeting.
  double timeout_seconds = 60;
};

// Communicators of `ranks` ranks in this process, one for each thread: the default back end and the
// oracle of the others.
std::vector<std::unique_ptr<Communicator>> MakeThreadGroup(int ranks,
                                                           const ThreadGroupOptions& options = {});

}  // namespace metadist
