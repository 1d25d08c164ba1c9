// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "metair/ir/result.h"

namespace metadist {

// Work that a rank's thread begins and another thread does, in order. Allocates nothing.
class SecondStream {
 public:
  using Clock = std::chrono::steady_clock;
  struct Work {
    std::function<Result<void>()> run;
    Clock::time_point begin = {};
    Clock::time_point end = {};
  };

  // By the other thread: does what is begun until Stop.
  void Serve();

  // By the rank's thread. The work must stay in place until it is waited for.
  void Begin(Work& work) { Enqueue(&work); }
  // Waits for all that was begun, or for all but the latest ones. Errors: of the first work that
  // failed; nothing is done after that.
  Result<void> Wait(uint32_t but = 0);
  // What failed; nullptr if nothing has. After Wait.
  const Work* failed() const { return failed_; }
  void Stop() { Enqueue(nullptr); }

 private:
  static constexpr uint32_t kMost = 4096;  // begun and not done; divides 2^32

  void Enqueue(Work* work);
  void WaitUntil(uint32_t done) const;

  std::array<Work*, kMost> queue_ = {};
  std::atomic<uint32_t> begun_ = 0;  // these count on, and may wrap around
  std::atomic<uint32_t> done_ = 0;
  Error error_;
  const Work* failed_ = nullptr;
};

}  // namespace metadist
