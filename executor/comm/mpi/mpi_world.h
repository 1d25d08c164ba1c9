// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "executor/comm/messenger.h"

namespace metadist {

struct MpiOptions {
  double timeout_seconds = 60;  // longest that a rank waits for another
};

// What the MPI plugin beside this program is: its library and version. Errors: kDevice with the
// reason why it cannot be used.
Result<std::string> MpiLibrary();

// The processes that a launcher started with this one (mpirun, srun), joined by the MPI plugin. One
// of them a process. When it ends, it waits until all have come this far; after an error of any
// rank it ends all processes instead. Errors: kDevice.
Result<std::unique_ptr<Messenger>> JoinMpi(const MpiOptions& options = {});

}  // namespace metadist
