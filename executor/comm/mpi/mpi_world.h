// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "executor/comm/messenger.h"

namespace metadist {

struct MpiOptions {
  double timeout_seconds = 60;  // the longest that a rank waits for another
};

// Library and version of the MPI plugin installed beside this program. Errors: kDevice with the
// reason why it cannot be used.
Result<std::string> MpiLibrary();

// The processes that a launcher started together with this one (mpirun, srun), joined through the
// MPI plugin. At most one per process. Its destructor waits for all processes; after an error of
// any rank it ends all processes instead, with the exit status of kDevice. Errors: kDevice.
Result<std::unique_ptr<Messenger>> JoinMpi(const MpiOptions& options = {});

}  // namespace metadist
