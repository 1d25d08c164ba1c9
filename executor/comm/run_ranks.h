// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "executor/comm/transport.h"

namespace metadist {

// Calls `work` for all ranks of a thread group at the same time, each on a thread of its own that
// PlaceRank places and whose kernels use no other threads. A rank that fails, or throws
// std::bad_alloc, aborts the others. Errors: of the rank that failed by itself, else of the first
// failed one, with its number; kDevice. beside: what a second thread of each rank does, placed on
// another core if there are enough; nullptr: there is none.
Result<void> RunRanks(const std::vector<std::unique_ptr<Transport>>& group,
                      const std::function<Result<void>(Transport&)>& work,
                      const std::function<void(int rank)>& beside = nullptr);

}  // namespace metadist
