// SPDX-License-Identifier: Apache-2.0
// A barrier that can fail.
//
// Problem: std::barrier can neither time out nor be aborted, so one dead rank blocks all others. A
// mutex and a condition variable can time out, but cost 20 us per meeting instead of 1 us.
// Choice: a central counter with a round number, which std::barrier also reduces to for few
// threads. The last rank to arrive starts the next round. The others spin briefly if every rank has
// a core, then yield, then sleep on the round number in the kernel (futex), and wake periodically
// to check the abort flag and the clock. With more ranks than cores, yielding hands the core to the
// rank being waited for. It also keeps an idle core awake: sleeping at once would cost 50 us of
// wake-up time at most meetings.
// Complexity: one atomic addition per rank, one wake-up per round.
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
// Longer than waking a sleeping core takes; 50 us on virtual cores.
constexpr std::chrono::microseconds kYielding(100);
constexpr long kSliceNanoseconds = 20'000'000;  // between two checks of the abort flag

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

// Sleeps until the round ends (true) or a time slice has passed (false).
bool Rendezvous::Sleep(uint32_t round) {
  const timespec slice{0, kSliceNanoseconds};
  if (round_.load(std::memory_order_acquire) != round) return true;
  syscall(SYS_futex, &round_, FUTEX_WAIT_PRIVATE, round, &slice, nullptr, 0);
  return round_.load(std::memory_order_acquire) != round;
}

}  // namespace metadist
