// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "metair/ir/result.h"

namespace metadist {

// Why a set of groups stopped; shared by a group and all groups split from it.
class AbortState {
 public:
  // The first reason stays; returns whether it is this one.
  bool Set(const Error& reason);
  bool is_set() const { return set_.load(std::memory_order_acquire); }
  Error reason() const;

 private:
  std::atomic<bool> set_ = false;
  mutable std::mutex mutex_;
  Error reason_;
};

// A barrier of `ranks` threads that gives up after a time and when the abort state is set. It can
// be used again at once.
class Rendezvous {
 public:
  // crowded: the machine has fewer cores than ranks at work, so that a waiting rank may hold up the
  // one it waits for.
  Rendezvous(int ranks, bool crowded, double timeout_seconds, std::shared_ptr<AbortState> abort);
  // Waits for all ranks. What any rank wrote before it is visible to all after it. Errors: kDevice.
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
