// SPDX-License-Identifier: Apache-2.0
// A barrier that can fail.
//
// Problem: std::barrier has neither a timeout nor a way out, so a rank that dies takes the others
// with it. A mutex and a condition variable can time out, but cost 20 us a meeting against 1 us.
// Choice: the central counter with a round number that std::barrier also reduces to for few
// threads. The last to arrive starts the next round; the others spin shortly where every rank has a
// core, then yield, then sleep on the round number in the kernel (futex), waking now and then to
// look at the abort flag and the clock. With more ranks than cores the yields hand the core to the
// rank that is waited for, and keep a core without one awake: sleeping at once costs 50 us of its
// waking at most meetings.
// Complexity: one atomic addition a rank, one wake-up a round.
// Source: Mellor-Crummey and Scott 1991, "Algorithms for Scalable Synchronization on Shared-Memory
// Multiprocessors", the sense-reversing centralised barrier.
#include "executor/comm/rendezvous.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <climits>

namespace metadist {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSpins = 2000;
// Longer than it takes to wake a core from sleep, which virtual ones do in 50 us.
constexpr std::chrono::microseconds kYielding(100);
constexpr long kSliceNanoseconds = 20'000'000;  // between two looks at the abort flag

void CpuRelax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

bool AbortState::Set(const Error& reason) {
  const std::lock_guard lock(mutex_);
  if (set_.load(std::memory_order_relaxed)) return false;
  reason_ = reason;
  set_.store(true, std::memory_order_release);
  return true;
}

Error AbortState::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

Rendezvous::Rendezvous(int ranks,
                       bool crowded,
                       double timeout_seconds,
                       std::shared_ptr<AbortState> abort)
    : ranks_(static_cast<uint32_t>(ranks)),
      timeout_seconds_(timeout_seconds),
      spins_(crowded ? 0 : kSpins),
      abort_(std::move(abort)) {}

Result<void> Rendezvous::Wait() {
  if (abort_->is_set()) return abort_->reason();
  const uint32_t round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks_) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    if (ranks_ > 1) syscall(SYS_futex, &round_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    return {};
  }
  for (int i = 0; i < spins_; ++i) {
    if (round_.load(std::memory_order_acquire) != round) return {};
    CpuRelax();
  }
  const auto start = Clock::now();
  do {
    sched_yield();
    if (round_.load(std::memory_order_acquire) != round) return {};
  } while (Clock::now() - start < kYielding);
  while (!Sleep(round)) {
    if (abort_->is_set()) return abort_->reason();
    if (std::chrono::duration<double>(Clock::now() - start).count() < timeout_seconds_) continue;
    abort_->Set({ErrorCode::kDevice,
                 "",
                 fmt::format("a rank did not arrive within {:g} s: {} of {} are waiting",
                             timeout_seconds_,
                             arrived_.load(std::memory_order_relaxed),
                             ranks_),
                 "",
                 {}});
    return abort_->reason();
  }
  return {};
}

// Sleeps until the round ends (true) or a slice of time is over (false).
bool Rendezvous::Sleep(uint32_t round) {
  const timespec slice{0, kSliceNanoseconds};
  if (round_.load(std::memory_order_acquire) != round) return true;
  syscall(SYS_futex, &round_, FUTEX_WAIT_PRIVATE, round, &slice, nullptr, 0);
  return round_.load(std::memory_order_acquire) != round;
}

}  // namespace metadist
