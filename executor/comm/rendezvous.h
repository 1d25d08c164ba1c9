// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "metair/ir/result.h"

namespace metadist {

// The reason why a set of groups stopped; shared by a group and all groups split from it.
class AbortState {
 public:
  // Only the first reason is kept. Returns whether this call set it.
  bool Set(const Error& reason);
  bool is_set() const { return set_.load(std::memory_order_acquire); }
  Error reason() const;

 private:
  std::atomic<bool> set_ = false;
  mutable std::mutex mutex_;
  Error reason_;
};

// A barrier of `ranks` threads that fails after a time limit and when the abort state is set. Can
// be reused immediately.
class Rendezvous {
 public:
  // crowded: the machine has fewer cores than active ranks, so a spinning rank may delay the one it
  // waits for.
  Rendezvous(int ranks, bool crowded, double timeout_seconds, std::shared_ptr<AbortState> abort);
  // Waits for all ranks. Writes before the call are visible to all ranks after it. Errors: kDevice.
  Result<void> Wait();

 private:
  bool Sleep(uint32_t round);

  const uint32_t ranks_;
  const double timeout_seconds_;
  const int spins_;
  const std::shared_ptr<AbortState> abort_;
  alignas(64) std::atomic<uint32_t> arrived_ = 0;
  alignas(64) std::atomic<uint32_t> round_ = 0;
};

}  // namespace metadist
