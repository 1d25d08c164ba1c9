// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "metair/ir/result.h"

namespace metadist {

// Calls work(i) once for every i in [0, count), on at most `threads` threads, the caller's among
// them; indices are handed out in ascending order. Returns when every thread has ended. Where a
// call throws (std::bad_alloc), its thread takes no further index and one such exception is
// thrown here. Threads that cannot be had are done without.
void ParallelFor(size_t count, int threads, const std::function<void(size_t)>& work);

// Calls work(0) ... work(count - 1) at once, each on a thread of its own, for calls that wait for
// one another: all of them or, where some thread cannot be had, none. Calls must not throw.
// Errors: kDevice.
Result<void> RunAtOnce(size_t count, const std::function<void(size_t)>& work);

}  // namespace metadist
