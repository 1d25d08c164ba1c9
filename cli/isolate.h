// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "metair/ir/result.h"

// Runs pieces of work that may crash, hang or exhaust memory in separate processes.
namespace metadist::cli {

struct IsolateLimits {
  double seconds = 60;               // wall time per piece
  int64_t memory_bytes = 4LL << 30;  // address space per process; 0 = no limit
  int processes = 1;                 // concurrent processes
  const std::atomic<bool>* interrupted = nullptr;
};

// Calls work(i) for every i in [0, count) in child processes and passes each result to done(i) in
// the parent, in the order of completion. A child does one piece after another, and later pieces
// may reuse what earlier ones left in its memory; which pieces share a child is not deterministic.
// A piece that crashes or exceeds a limit gives an error that says so, and its child ends. The
// caller must have no other thread. Errors: kDevice if no process can be started; kInterrupted.
Result<void> RunIsolated(size_t count,
                         const IsolateLimits& limits,
                         const std::function<std::string(size_t)>& work,
                         const std::function<void(size_t, Result<std::string>)>& done);

}  // namespace metadist::cli
