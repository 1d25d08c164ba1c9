// SPDX-License-Identifier: Apache-2.0
#include "executor/run/second_stream.h"

#include <new>
#include <utility>

namespace metadist {
namespace {

Result<void> Do(const SecondStream::Work& work) {
  try {
    return work.run();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

}  // namespace

void SecondStream::Serve() {
  for (uint32_t next = 0;; ++next) {
    begun_.wait(next, std::memory_order_acquire);
    Work* const work = queue_[next % kMost];
    if (work == nullptr) return;
    if (failed_ == nullptr) {
      work->begin = Clock::now();
      Result<void> result = Do(*work);
      work->end = Clock::now();
      if (!result.ok()) {
        error_ = std::move(result).error();
        failed_ = work;
      }
    }
    done_.store(next + 1, std::memory_order_release);
    done_.notify_one();
  }
}

void SecondStream::Enqueue(Work* work) {
  const uint32_t next = begun_.load(std::memory_order_relaxed);
  WaitUntil(next - (kMost - 1));
  queue_[next % kMost] = work;
  begun_.store(next + 1, std::memory_order_release);
  begun_.notify_one();
}

Result<void> SecondStream::Wait(uint32_t but) {
  WaitUntil(begun_.load(std::memory_order_relaxed) - but);
  if (failed_ != nullptr) return error_;
  return {};
}

void SecondStream::WaitUntil(uint32_t done) const {
  uint32_t now = done_.load(std::memory_order_acquire);
  while (static_cast<int32_t>(done - now) > 0) {
    done_.wait(now, std::memory_order_acquire);
    now = done_.load(std::memory_order_acquire);
  }
}

}  // namespace metadist
