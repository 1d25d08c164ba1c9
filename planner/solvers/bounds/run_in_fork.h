// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace metadist {

// Memory that a process and the processes forked after it was made have in common, zero at first.
class SharedMemory {
 public:
  // Nothing, data() == nullptr, where the system has none to give.
  explicit SharedMemory(size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  size_t bytes_;
  std::byte* data_ = nullptr;
};

enum class ForkEnd {
  kDone,
  kDied,         // the work crashed, threw, or somebody killed the process
  kOutOfMemory,  // it threw bad_alloc
  kStopped,      // killed, as it went on long after the time or the interrupt
  kNotBegun,     // the system gave no process
};

// Runs `work` in a fork of this process and waits for it: whatever it does to its memory, and
// however it ends, this process goes on. What it leaves in shared memory stays, all else is lost,
// what it prints too. The process has one thread, and locks of other threads may be held in it for
// ever: the work uses none but those that fork() looks after (memory, streams).
// seconds: the work ends by itself within this time. interrupted: polled, or nullptr; `stop`
// follows it, and the work ends soon after that. Thread-safe.
ForkEnd RunInFork(const std::function<void(const std::atomic<bool>& stop)>& work,
                  double seconds,
                  const std::atomic<bool>* interrupted);

}  // namespace metadist
