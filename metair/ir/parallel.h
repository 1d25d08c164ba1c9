// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "metair/ir/result.h"

namespace metadist {

// Calls work(i) once for every i in [0, count), on at most `threads` threads including the
// caller's; indices are handed out in ascending order. Returns when every thread has finished. If a
// call throws (std::bad_alloc), its thread takes no further index and one such exception is
// rethrown here. If fewer threads are available, fewer are used.
void ParallelFor(size_t count, int threads, const std::function<void(size_t)>& work);

// Calls work(0) ... work(count - 1) at the same time, each on a thread of its own, for calls that
// wait for one another: either all calls are made or, if a thread cannot be created, none. Errors:
// kDevice, also if a call throws std::bad_alloc.
Result<void> RunAtOnce(size_t count, const std::function<void(size_t)>& work);

}  // namespace metadist
