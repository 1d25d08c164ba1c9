// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace metadist {

// Calls work(i) once for every i in [0, count), on at most `threads` threads, the caller's among
// them; indices are handed out in ascending order. Returns when every thread has ended. Where a
// call throws (std::bad_alloc), its thread takes no further index and one such exception is
// thrown here.
void ParallelFor(size_t count, int threads, const std::function<void(size_t)>& work);

}  // namespace metadist
