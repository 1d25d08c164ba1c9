// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace metadist {

struct Unmap {
  size_t bytes = 0;
  void operator()(std::byte* data) const;
};
// Memory shared by a process and the processes that it forks later.
using SharedMemory = std::unique_ptr<std::byte, Unmap>;
// Initially zero. Null if the system has no memory left.
SharedMemory MakeSharedMemory(size_t bytes);

enum class ForkEnd {
  kDone,
  kDied,         // the work crashed or threw, or the process was killed
  kOutOfMemory,  // it threw bad_alloc
  kStopped,      // killed because it continued long after its time or the interrupt
  kNotBegun,     // the system provided no process or no shared memory
};

// Runs `work` in a fork of this process and waits for it. Whatever it does to its memory and
// however it ends, this process continues. What it writes to shared memory stays; everything else
// is lost, including what it prints. The fork has one thread, and locks of other threads may stay
// locked in it for ever: the work must use no locks except those that fork() handles (memory,
// streams). seconds: the work must end by itself within this time. interrupted: polled, or nullptr;
// sets `stop`, after which the work must end soon. Thread-safe.
ForkEnd RunInFork(const std::function<void(const std::atomic<bool>& stop)>& work,
                  double seconds,
                  const std::atomic<bool>* interrupted);

}  // namespace metadist
