// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "metair/ir/result.h"

// Pieces of work that may crash, hang or eat memory, in processes of their own.
namespace metadist::cli {

struct IsolateLimits {
  double seconds = 60;               // of the clock, a piece
  int64_t memory_bytes = 4LL << 30;  // of address space, a process; 0 = no limit
  int processes = 1;                 // at once
  const std::atomic<bool>* interrupted = nullptr;
};

// Calls work(i) for every i in [0, count) in a child process and hands what it returns to done(i),
// in the parent, in the order of completion. A child does one piece after another, so that later
// ones may use what earlier ones left in its memory; which those are is a matter of chance. A piece
// that dies or exceeds a limit gives an error that says so, and takes its child with it. The caller
// must have no other thread.
// Errors: kDevice if no process can be started; kInterrupted.
Result<void> RunIsolated(size_t count,
                         const IsolateLimits& limits,
                         const std::function<std::string(size_t)>& work,
                         const std::function<void(size_t, Result<std::string>)>& done);

}  // namespace metadist::cli
